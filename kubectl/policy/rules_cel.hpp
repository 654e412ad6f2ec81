// The CEL of the rules: from an object to what it breaks, a variable a step.
//
// Whoever is refused must not be able to excuse themselves: nothing that the object says of itself
// keeps a step from it, and every number is held to a pattern or to a bound before it is counted.
#pragma once

#include "kubectl/policy/size_law_cel.hpp"
#include "webhook/rules/rules.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace tpuwh::server::policy {

// From `templates`, maps of title, pod and pods, and `queue`, whether the object names one, each a
// list over the objects of a review, to `found`: what is broken anew, maps of id, key, amount and
// text.
std::vector<Step> rule_steps(const webhook::rules::Rules& rules);

// Returns CEL for the judgement of the new object: "dev: kept", "dev: TPU-654", or
// "dev: not all judged" if a template has claims, because no policy knows the chips of a claim.
std::string judgement_cel();

// A number of Pods or of groups of them, of which a negative one makes none; CEL. Not every API
// refuses it, and in a sum it would hide others.
std::string count_cel(std::string_view number);

// How many Pods of a Job's spec run at a time, or all of an Indexed one: CEL.
std::string job_pods_cel(std::string_view spec, std::string_view indexed);

// "any value" of "*" alone, "one of a, b" else.
std::string expected_words(const std::vector<std::string>& patterns);
// "a, b", as it stands in messages.
std::string joined(const std::vector<std::string>& all);

}  // namespace tpuwh::server::policy
