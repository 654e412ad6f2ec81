// The rules of a cluster as policies: what webhook/rules says of an object when it is created, held
// by the API server itself. For Jobs, CronJobs, JobSets, RayClusters, RayJobs, RayServices,
// LeaderWorkerSets, StatefulSets and Deployments; never for Pods.
//
// They say the same as the findings TPU-651 to TPU-657, in the same words, of Pods that ask for
// google.com/tpu; and what needs no slice: labels, queues, images, who a Pod may be on its node.
//
//   source  docs/governance.md#rules
#pragma once

#include "kubectl/policy/policy.hpp"
#include "webhook/config/config.hpp"
#include "webhook/findings/finding.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace tpuwh::server::policy {

// One for each kind; none where the configuration has no rules.
//
//   most   what follows at most
std::vector<Policy> rules_law(const webhook::config::Config& config, Action most);

// Returns CEL that is false for an object that the controller of a judged object creates, because
// the maker was judged already. Only users who may write the status of the maker can name that
// maker as the owner of an object. An update is always judged.
std::string made_by_nobody_judged(std::string_view kind);

// Returns whether a policy for objects of this kind ("Job", of any API group) refuses the fault of
// this finding. The webhook only warns of the findings TPU-651 to TPU-660.
bool is_held(std::string_view kind, webhook::findings::Finding finding);

}  // namespace tpuwh::server::policy
