// Generates the CEL of a team's rules. The CEL computes the faults of an object in steps, and each
// step is a variable of the admission policy.
//
// No annotation or label exempts an object from a rule. Every number is compared with a pattern or
// with a bound before it is used in a calculation.
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
  bool warned = false;      // only rules that never refuse: name, checkpoint, run time
  std::string prefix = {};  // of tpu-webhook's annotations, such as "tpu-webhook.dev/"
  bool ends = false;        // whether the objects' Pods are expected to end, as those of a Job
};

// Returns the steps that compute the variable `found` from the variables `templates` and `queue`:
//
//   templates  for each object of the review a list of maps with title, pod and pods; if `warned`,
//              also with seconds (-1 for no deadline) and restarted
//   queue      for each object whether it names a queue
//   found      a list of maps with id, key, amount and text: the faults that the new object has and
//              that the old object did not have, or had with a smaller amount
std::vector<Step> rule_steps(const JudgedRules& rules);

// Returns whether any rule has a check for which the policies only warn, and which applies to
// objects of one kind. `ends` is true if the Pods of that kind are expected to end, as those of a
// Job.
bool are_any_warned(const team_rules::Rules& rules, bool ends);

// Returns CEL for the judgement of the new object: "dev: kept", "dev: TPU-654", or
// "dev: not all judged" if a template has claims, because no policy knows the chips of a claim.
std::string judgement_cel();

// Returns CEL for a number of Pods or of groups of Pods. A negative number, which some APIs accept,
// counts as 0: it creates no Pods, but would make a sum smaller.
std::string count_cel(std::string_view number);

// Returns CEL for a number of Pods of a Job. If the CEL condition `indexed` is true, it is the
// number of all Pods of the Job (completions), otherwise the number that run at a time. `spec` is
// the CEL path of the Job's spec.
std::string job_pods_cel(std::string_view spec, std::string_view indexed);

// Returns CEL for activeDeadlineSeconds of `spec`, -1 if there is none.
std::string deadline_cel(std::string_view spec);

// Returns "any value" for the pattern "*" alone, otherwise "one of a, b".
std::string expected_words(const std::vector<std::string>& patterns);
// Returns the texts separated by commas: "a, b".
std::string joined(const std::vector<std::string>& all);

}  // namespace tpuwh::server::policy
