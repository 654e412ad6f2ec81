// The rules of a cluster as policies: what webhook/rules says of an object when it is created, held
// by the API server itself. For Jobs, CronJobs, JobSets, RayClusters, RayJobs, RayServices,
// LeaderWorkerSets, StatefulSets and Deployments; never for Pods.
//
// They say the same as the findings TPU-651 to TPU-657, in the same words, of Pods that ask for
// google.com/tpu; and what needs no slice: labels, queues, images, who a Pod may be on its node.
//
//   source  docs/governance.md#rules
#pragma once

#include "server/tools/policy/policy.hpp"
#include "webhook/config/config.hpp"

#include <string_view>
#include <vector>

namespace tpuwh::server::policy {

// One for each kind; none where the configuration has no rules.
//
//   most   what follows at most
std::vector<Policy> rules_law(const webhook::config::Config& config, Action most);

// Whether there is one for a kind, of whatever group: "Job".
bool has_rules_policy(std::string_view kind);

}  // namespace tpuwh::server::policy
