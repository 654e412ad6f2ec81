#include "kubectl/inspect/doctor/view.hpp"

#include "kubectl/inspect/running/installation.hpp"
#include "kubectl/objects/json_path.hpp"
#include "server/text/json_text.hpp"
#include "webhook/workloads/table.hpp"

#include <algorithm>

namespace tpuwh::server::doctor {

namespace {

bool has_any(const Json& list, std::initializer_list<const char*> wanted) {
  return list.is_array() && std::ranges::any_of(list, [&](const Json& each) {
           return std::ranges::any_of(wanted, [&](const char* text) { return each == text; });
         });
}

}  // namespace

std::vector<Served> workload_apis() {
  std::vector<Served> out;
  for (const auto& workload : webhook::workloads::workloads())
    for (const auto& object : workload.objects) {
      const bool of_every_cluster = object.group.find('.') == object.group.npos;
      if (of_every_cluster || !object.makes_pods) continue;
      out.push_back({.kind = std::string(object.kind), .group = std::string(object.group)});
    }
  return out;
}

const Read& served(const View& view, std::string_view group) {
  static const Read not_asked;
  const auto found = std::ranges::find(view.apis, group, &Served::group);
  return found == view.apis.end() ? not_asked : found->read;
}

const Json& pod_spec(const Json& deployment) {
  return text::member(pod_template(deployment), "spec");
}

const Json& pod_template(const Json& deployment) {
  return text::member(text::member(deployment, "spec"), "template");
}

const Json& selector_of(const Json& deployment) {
  return text::member(text::member(deployment, "spec"), "selector");
}

long wanted_replicas(const Json& deployment) {
  const Json& number = text::member(text::member(deployment, "spec"), "replicas");
  return number.is_number_integer() ? number.get<long>() : 1;
}

std::string name_of_object(const Json& object) {
  return text::text_member(text::member(object, "metadata"), "name");
}

const Json& own_container(const Json& pod) {
  static const Json none;
  for (const Json& each : text::member(text::member(pod, "spec"), "containers"))
    if (text::text_member(each, "name") == running::installed_name) return each;
  return none;
}

std::string account_of(const Json& deployment) {
  const Json& spec = pod_spec(deployment);
  if (!spec.is_object()) return running::installed_name;
  const std::string name = text::text_member(spec, "serviceAccountName");
  return name.empty() ? "default" : name;
}

std::string certificate_secret(const Json& deployment) {
  std::string any;
  for (const Json& volume : text::member(pod_spec(deployment), "volumes")) {
    const std::string name = text::text_member(text::member(volume, "secret"), "secretName");
    if (text::text_member(volume, "name") == "certificate") return name;
    if (any.empty() && text::text_member(volume, "name") != "config") any = name;
  }
  return any;
}

Read without_key(Read secret) {
  if (!secret.there()) return secret;
  const std::string certificate = text::text_member(text::member(secret.object, "data"), "tls.crt");
  secret.object = {{"data", {{"tls.crt", certificate}}}};
  return secret;
}

std::string pod_selector(const Json& deployment) {
  const Json& labels = text::member(selector_of(deployment), "matchLabels");
  if (!labels.is_object()) return {};
  std::string out;
  for (const auto& [key, value] : labels.items())
    if (value.is_string()) out += (out.empty() ? "" : ",") + key + "=" + value.get<std::string>();
  return out;
}

std::string argument(const Json& deployment, const std::string& name) {
  const std::string flag = "--" + name;
  std::string value;
  for (const Json& container : text::member(pod_spec(deployment), "containers")) {
    bool is_next = false;
    for (const Json& each : text::member(container, "args")) {
      const std::string word = each.is_string() ? each.get<std::string>() : std::string();
      if (is_next) value = word;
      is_next = word == flag;
      if (word.starts_with(flag + '=')) value = word.substr(flag.size() + 1);
    }
  }
  return value;
}

bool is_ready_pod(const Json& pod) {
  return text::text_member(objects::condition(pod, "Ready"), "status") == "True";
}

int container_port(const Json& pod, std::string_view name) {
  for (const Json& container : text::member(text::member(pod, "spec"), "containers"))
    for (const Json& port : text::member(container, "ports")) {
      const Json& number = text::member(port, "containerPort");
      if (text::text_member(port, "name") == name && number.is_number_integer())
        return number.get<int>();
    }
  return 0;
}

bool sees_new_pods(const Json& webhook) {
  const Json& rules = text::member(webhook, "rules");
  return rules.is_array() && std::ranges::any_of(rules, [](const Json& rule) {
           return has_any(text::member(rule, "apiGroups"), {"", "*"}) &&
                  has_any(text::member(rule, "resources"), {"pods", "*", "*/*"}) &&
                  has_any(text::member(rule, "operations"), {"CREATE", "*"}) &&
                  (text::member(rule, "apiVersions").is_null() ||
                   has_any(text::member(rule, "apiVersions"), {"v1", "*"})) &&
                  text::text_member(rule, "scope") != "Cluster";
         });
}

}  // namespace tpuwh::server::doctor
