// Generates admission policies from the rules of a team, for Jobs, CronJobs, JobSets, RayClusters,
// RayJobs, RayServices, LeaderWorkerSets, StatefulSets and Deployments; never for Pods. The API
// server evaluates the policies: tpu-webhook is not called for this. The policies judge objects
// whose Pods ask for a TPU resource (read::chip_resources). The policies report the faults TPU-651
// to TPU-680 with the same sentences as kubectl/team_rules/judge.cpp and
// kubectl/policy/hygiene.cpp. Separate policies warn of TPU-658 to TPU-660, because the binding of
// a policy has one action (deny or warn) for all its faults.
//
//   source  docs/governance.md#rules
#pragma once

#include "kubectl/policy/policy.hpp"
#include "kubectl/team_rules/rules.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace tpuwh::server::policy {

// Returns one policy for each kind of object, such as Job. If a rule has checks that only warn and
// apply to the kind, also returns a second policy for this kind.
//
//   prefix  the prefix of tpu-webhook's annotations, such as "tpu-webhook.dev/"
//   most    the strongest action that a policy takes for a broken rule
std::vector<Policy> rules_law(const team_rules::Rules& rules, const std::string& prefix,
                              Action most);

// Returns CEL that is false for an object that the controller of a judged object creates, because
// the maker was judged already. Only users who may write the status of the maker can name that
// maker as the owner of an object. An update is always judged.
std::string made_by_nobody_judged(std::string_view kind);

// Returns whether the policy for objects of this kind ("Job") refuses an object that has a fault
// with this id ("TPU-651"). Otherwise the policy at most warns about the fault.
bool is_refused(std::string_view kind, std::string_view id);

}  // namespace tpuwh::server::policy
