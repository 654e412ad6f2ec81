// What admission policies hold an object to that needs no slice, said without an API server. The
// policies say the same in the same words (rules_cel.cpp); a test holds one to the other.
#pragma once

#include "server/text/json.hpp"
#include "webhook/rules/rules.hpp"

#include <string>
#include <vector>

namespace tpuwh::server::policy {

struct Unclean {
  std::string id;        // "TPU-671"
  std::string sentence;  // "label team is missing, expected a, b"
};

// A Pod template of an object whose Pods ask for chips.
struct TitledTemplate {
  std::string title;  // "worker group a: ", "" for the only one
  const Json* pod;
};

// Returns the templates of `object` in which a container asks for chips by one of
// read::chip_resources, if there is a policy for the kind of the object.
std::vector<TitledTemplate> templates_with_chips(const Json& object);

// Returns all rules of TPU-671 to TPU-680 that the object breaks in its namespace. Each sentence
// ends with the rule, as the sentences of webhook/rules do.
std::vector<Unclean> unclean(const webhook::rules::Rules& rules, std::string_view ns,
                             const Json& object, const std::vector<TitledTemplate>& templates);

// Returns whether the object was made by the controller of an object that is judged itself.
bool made_by_checked(const Json& object);

}  // namespace tpuwh::server::policy
