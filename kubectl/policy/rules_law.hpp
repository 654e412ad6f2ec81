// The rules of a team as policies, which the API server evaluates itself, for Jobs, CronJobs,
// JobSets, RayClusters, RayJobs, RayServices, LeaderWorkerSets, StatefulSets and Deployments; never
// for Pods.
//
// They report TPU-651 to TPU-680 in the words of kubectl/team_rules/judge.cpp and hygiene.cpp, of
// objects whose Pods ask for chips by one of read::chip_resources. TPU-658 to TPU-660 are warned of
// by policies of their own, because a binding has one action.
//
//   source  docs/governance.md#rules
#pragma once

#include "kubectl/policy/policy.hpp"
#include "kubectl/team_rules/rules.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace tpuwh::server::policy {

// Returns one or two policies for each kind.
//
//   prefix  of annotations
//   most    the most that follows of a broken rule
std::vector<Policy> rules_law(const team_rules::Rules& rules, const std::string& prefix,
                              Action most);

// Returns CEL that is false for an object that the controller of a judged object creates, because
// the maker was judged already. Only users who may write the status of the maker can name that
// maker as the owner of an object. An update is always judged.
std::string made_by_nobody_judged(std::string_view kind);

// Returns whether a policy for objects of this kind ("Job", of any API group) refuses what has this
// id. Otherwise whoever creates the object is warned.
bool is_refused(std::string_view kind, std::string_view id);

}  // namespace tpuwh::server::policy
