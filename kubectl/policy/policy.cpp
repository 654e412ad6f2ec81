#include "kubectl/policy/policy.hpp"
#include "server/text/json.hpp"

namespace tpuwh::server::policy {

namespace {

constexpr auto api_version = "admissionregistration.k8s.io/v1";

Json annotations(const std::vector<Named>& all) {
  Json out = Json::array();
  for (const Named& each : all)
    out.push_back({{"key", each.name}, {"valueExpression", each.expression}});
  return out;
}

Json listed(const std::vector<Named>& all) {
  Json out = Json::array();
  for (const Named& each : all)
    out.push_back({{"name", each.name}, {"expression", each.expression}});
  return out;
}

// No API server takes Deny and Warn of one binding.
Json actions(Action action) {
  switch (action) {
    case Action::audit:
      return Json::array({"Audit"});
    case Action::warn:
      return Json::array({"Warn", "Audit"});
    case Action::deny:
      return Json::array({"Deny", "Audit"});
  }
  return {};
}

}  // namespace

Json policy_object(const Policy& policy) {
  const Json rule = {{"apiGroups", {policy.group}},
                     {"apiVersions", policy.versions},
                     {"operations", {"CREATE", "UPDATE"}},
                     {"resources", {policy.resource}}};
  const Json validation = {{"expression", policy.expression},
                           {"reason", "Invalid"},
                           {"message", policy.message},
                           {"messageExpression", policy.message_expression}};
  const bool fails = policy.must_hold && policy.action == Action::deny;
  Json out = {{"apiVersion", api_version},
              {"kind", "ValidatingAdmissionPolicy"},
              {"metadata", {{"name", policy.name}}},
              {"spec",
               {{"failurePolicy", fails ? "Fail" : "Ignore"},
                {"matchConstraints", {{"resourceRules", Json::array({rule})}}},
                {"matchConditions", listed(policy.conditions)},
                {"variables", listed(policy.variables)},
                {"validations", Json::array({validation})}}}};
  if (!policy.audit.empty()) out["spec"]["auditAnnotations"] = annotations(policy.audit);
  return out;
}

Json binding_object(const Policy& policy, const Elsewhere& elsewhere) {
  const Json by_name = {{"key", "kubernetes.io/metadata.name"},
                        {"operator", "NotIn"},
                        {"values", elsewhere.namespaces}};
  const Json by_label = {
      {"key", elsewhere.label}, {"operator", "NotIn"}, {"values", {elsewhere.value}}};
  return {{"apiVersion", api_version},
          {"kind", "ValidatingAdmissionPolicyBinding"},
          {"metadata", {{"name", policy.name}}},
          {"spec",
           {{"policyName", policy.name},
            {"validationActions", actions(policy.action)},
            {"matchResources",
             {{"namespaceSelector", {{"matchExpressions", Json::array({by_name, by_label})}}}}}}}};
}

}  // namespace tpuwh::server::policy
