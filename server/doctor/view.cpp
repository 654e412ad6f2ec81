#include "server/doctor/view.hpp"

#include "server/text/json_text.hpp"

#include <algorithm>

namespace tpuwh::server::doctor {

namespace {

Json pod_spec(const Json& deployment) {
  return member(member(member(deployment, "spec"), "template"), "spec");
}

bool has_any(const Json& list, std::initializer_list<const char*> wanted) {
  return list.is_array() && std::ranges::any_of(list, [&](const Json& each) {
           return std::ranges::any_of(wanted, [&](const char* text) { return each == text; });
         });
}

}  // namespace

std::string certificate_secret(const Json& deployment) {
  std::string any;
  for (const Json& volume : member(pod_spec(deployment), "volumes")) {
    const std::string name = text_member(member(volume, "secret"), "secretName");
    if (text_member(volume, "name") == "certificate") return name;
    if (any.empty()) any = name;
  }
  return any;
}

Read without_key(Read secret) {
  if (!secret.there()) return secret;
  const std::string certificate = text_member(member(secret.object, "data"), "tls.crt");
  secret.object = {{"data", {{"tls.crt", certificate}}}};
  return secret;
}

std::string pod_selector(const Json& deployment) {
  const Json labels = member(member(member(deployment, "spec"), "selector"), "matchLabels");
  if (!labels.is_object()) return {};
  std::string out;
  for (const auto& [key, value] : labels.items())
    if (value.is_string()) out += (out.empty() ? "" : ",") + key + "=" + value.get<std::string>();
  return out;
}

std::string argument(const Json& deployment, const std::string& name) {
  const std::string flag = "--" + name + "=";
  for (const Json& container : member(pod_spec(deployment), "containers"))
    for (const Json& each : member(container, "args"))
      if (each.is_string() && each.get<std::string>().starts_with(flag))
        return each.get<std::string>().substr(flag.size());
  return {};
}

bool is_ready_pod(const Json& pod) {
  const Json conditions = member(member(pod, "status"), "conditions");
  return conditions.is_array() && std::ranges::any_of(conditions, [](const Json& condition) {
           return text_member(condition, "type") == "Ready" &&
                  text_member(condition, "status") == "True";
         });
}

int container_port(const Json& pod, std::string_view name) {
  for (const Json& container : member(member(pod, "spec"), "containers"))
    for (const Json& port : member(container, "ports")) {
      const Json number = member(port, "containerPort");
      if (text_member(port, "name") == name && number.is_number_integer()) return number.get<int>();
    }
  return 0;
}

bool sees_new_pods(const Json& webhook) {
  const Json rules = member(webhook, "rules");
  return rules.is_array() && std::ranges::any_of(rules, [](const Json& rule) {
           return has_any(member(rule, "apiGroups"), {"", "*"}) &&
                  has_any(member(rule, "resources"), {"pods", "*", "*/*"}) &&
                  has_any(member(rule, "operations"), {"CREATE", "*"});
         });
}

}  // namespace tpuwh::server::doctor
