// Checks an object against the part of a team's rule that does not depend on TPU slices: labels,
// queues, images and access to the node. The admission policies, which the API server evaluates,
// report the same sentences as this check (rules_cel.cpp). tests/e2e/test_rules.py compares the
// sentences.
#pragma once

#include "kubectl/team_rules/rules.hpp"
#include "kubectl/team_rules/templates.hpp"
#include "server/text/json.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace tpuwh::server::policy {

struct Unclean {
  std::string id;        // "TPU-671"
  std::string sentence;  // "label team is missing, expected a, b"
};

// Returns the templates of `object` in which a container asks for chips by one of
// read::chip_resources, if there is a policy for the kind of the object.
std::vector<team_rules::PodTemplate> templates_with_chips(const Json& object);

// Returns the breaches of `object` whose ids are in the range TPU-671 to TPU-680. Each sentence
// ends with the name of the broken rule and the contact for questions.
std::vector<Unclean> unclean(const team_rules::Rules& rules, std::string_view ns,
                             const Json& object,
                             const std::vector<team_rules::PodTemplate>& templates);

}  // namespace tpuwh::server::policy
