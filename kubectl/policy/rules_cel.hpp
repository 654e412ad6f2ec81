// Generates the CEL of a team's rules. The CEL computes the faults of an object in steps, and each
// step is a variable of the admission policy.
//
// No annotation or label exempts an object from a rule. Before a number is used in a calculation,
// its text is matched with a pattern, or its value is limited, so that the calculation cannot fail.
#pragma once

#include "kubectl/policy/size_law_cel.hpp"
#include "kubectl/team_rules/rules.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace tpuwh::server::policy {

// The rules that one policy evaluates.
struct JudgedRules {
  const team_rules::Rules& all;
  bool warned = false;      // true: only the checks that warn are evaluated (TPU-658 to TPU-660)
  std::string prefix = {};  // of tpu-webhook's annotations, such as "tpu-webhook.dev/"
  bool ends = false;        // true: the objects' Pods are expected to end, as those of a Job
};

// Returns the steps that compute the variable `found` from the variables `templates` and `queue`:
//
//   templates  a list for each object of the review, with a map for each Pod template. The keys are
//              title, pod and pods; if `warned`, also seconds (-1 for no deadline) and restarted
//   queue      a boolean for each object of the review: whether the object names a queue
//   found      a map with id, key, amount and text for each fault of the new object, except faults
//              that the old object had with at least the same amount
std::vector<Step> rule_steps(const JudgedRules& rules);

// Returns whether any rule has a check that only warns. If `ends` is true, only checks of objects
// whose Pods are expected to end, such as Jobs, count. Otherwise only checks of other objects
// count.
bool are_any_warned(const team_rules::Rules& rules, bool ends);

// Returns CEL for the judgement of the new object: "dev: kept", "dev: TPU-654", or
// "dev: not all judged" if a template has claims, because no policy knows the chips of a claim.
std::string judgement_cel();

// Returns CEL for a number of Pods or of groups of Pods. A negative number, which some APIs accept,
// counts as 0, because it creates no Pods but would make a sum smaller.
std::string count_cel(std::string_view number);

// Returns CEL that computes how many Pods of a Job count. If the CEL condition `indexed` is true,
// these are all its Pods (completions), otherwise the Pods that run at the same time.
// `spec` is the CEL path of the Job's spec.
std::string job_pods_cel(std::string_view spec, std::string_view indexed);

// Returns CEL for a number: activeDeadlineSeconds of `spec`, or -1 if the field is missing.
std::string deadline_cel(std::string_view spec);

// Returns "any value" if "*" is the only pattern, otherwise "one of a, b".
std::string expected_words(const std::vector<std::string>& patterns);
// Returns the texts separated by commas: "a, b".
std::string joined(const std::vector<std::string>& all);

}  // namespace tpuwh::server::policy
