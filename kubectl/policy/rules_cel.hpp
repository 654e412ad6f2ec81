// The CEL of a team's rules: from an object to what it breaks, one variable for each step.
//
// Nothing that an object says of itself is an exception. Every number is compared with a pattern or
// with a bound before it is counted.
#pragma once

#include "kubectl/policy/size_law_cel.hpp"
#include "kubectl/team_rules/rules.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace tpuwh::server::policy {

// The rules that a policy evaluates.
struct JudgedRules {
  const team_rules::Rules& all;
  bool warned = false;      // those that are warned of alone: name, checkpoint, run time
  std::string prefix = {};  // of annotations
  bool ends = false;        // the Pods of the kind end some day
};

// Returns the steps from `templates` to `found`, what is broken anew. `templates` has for each
// object of the review maps of title, pod and pods, and of rules that are warned of also seconds
// (-1 for no deadline) and restarted. `queue` has for each object whether it names a queue. `found`
// has maps of id, key, amount and text.
std::vector<Step> rule_steps(const JudgedRules& rules);

// Returns whether an object of such a kind can break one of the rules that are warned of.
bool are_any_warned(const team_rules::Rules& rules, bool ends);

// Returns CEL for the judgement of the new object: "dev: kept", "dev: TPU-654", or
// "dev: not all judged" if a template has claims, because no policy knows the chips of a claim.
std::string judgement_cel();

// Returns CEL for a number of Pods or of groups of them. A negative number creates no Pods. Not
// every API refuses it, and in a sum it would hide others.
std::string count_cel(std::string_view number);

// Returns CEL for the number of Pods of a Job's spec that run at a time, or for all Pods of an
// Indexed Job.
std::string job_pods_cel(std::string_view spec, std::string_view indexed);

// Returns CEL for activeDeadlineSeconds of `spec`, -1 if there is none.
std::string deadline_cel(std::string_view spec);

// Returns "any value" for the pattern "*" alone, otherwise "one of a, b".
std::string expected_words(const std::vector<std::string>& patterns);
// Returns "a, b".
std::string joined(const std::vector<std::string>& all);

}  // namespace tpuwh::server::policy
