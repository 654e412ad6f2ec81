// A ValidatingAdmissionPolicy and its binding, as values.
#pragma once

#include "server/text/json_text.hpp"

#include <string>
#include <vector>

namespace tpuwh::server::policy {

// What follows of an object that breaks a rule. Each also writes an audit annotation.
enum class Action { audit, warn, deny };

struct Named {
  std::string name, expression;  // CEL
};

// Of objects of one kind that are created or updated. `variables` are evaluated in order, each
// where a later one or the validation asks for it.
struct Policy {
  std::string name = {};  // of both objects
  std::string group = {}, resource = {};
  std::vector<std::string> versions = {};
  std::vector<Named> conditions = {}, variables = {};
  std::string expression = {};  // true: the object keeps the rule
  std::string message = {},
              message_expression = {};  // the first where the second cannot be evaluated
  Action action = Action::audit;
  bool must_hold = false;  // an error in an expression refuses the object, where that is denied
  std::vector<Named> audit = {};  // annotations: name, and CEL that gives a text or null
};

// Namespaces whose objects are not looked at.
struct Elsewhere {
  std::vector<std::string> namespaces;  // by name
  std::string label, value;             // by a label
};

// `kubectl apply` takes them. An error in an expression lets the object pass, but where a policy
// must hold.
Json policy_object(const Policy& policy);
Json binding_object(const Policy& policy, const Elsewhere& elsewhere);

}  // namespace tpuwh::server::policy
