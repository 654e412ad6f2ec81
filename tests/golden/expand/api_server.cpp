#include "tests/golden/expand/api_server.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace tpuwh::test {

namespace {

constexpr const char* token_volume = "kube-api-access";
constexpr std::string_view our_prefix = "tpu-webhook.dev/";

// By value: what is in `object` moves when it gets a member.
void set_default(Json& object, const char* key, Json value) {
  if (!object.contains(key)) object[key] = std::move(value);
}

template <class Change>
void for_all_containers(Json& pod, const Change& change) {
  for (const char* key : {"containers", "initContainers"})
    if (pod["spec"].contains(key))
      for (Json& container : pod["spec"][key]) change(container);
}

// A quantity that a manifest has as a number is stored as a string.
void print_quantities(Json& resources) {
  for (const char* kind : {"limits", "requests"})
    if (resources.contains(kind))
      for (Json& amount : resources[kind])
        if (amount.is_number()) amount = amount.dump();
}

void request_limits(Json& resources) {
  if (!resources.contains("limits")) return;
  const Json limits = resources["limits"];
  for (const auto& [name, amount] : limits.items())
    if (!resources.contains("requests") || !resources["requests"].contains(name))
      resources["requests"][name] = amount;
}

std::string pull_policy(const std::string& image) {
  return image.ends_with(":latest") || image.find(':') == std::string::npos ? "Always"
                                                                            : "IfNotPresent";
}

void default_container(Json& container) {
  set_default(container, "terminationMessagePath", "/dev/termination-log");
  set_default(container, "terminationMessagePolicy", "File");
  set_default(container, "imagePullPolicy", pull_policy(container["image"]));
  set_default(container, "resources", Json::object());
  print_quantities(container["resources"]);
  request_limits(container["resources"]);
  for (Json& port : container["ports"]) set_default(port, "protocol", "TCP");
  if (container["ports"].empty()) container.erase("ports");
  for (Json& entry : container["env"])
    if (entry.contains("valueFrom") && entry["valueFrom"].contains("fieldRef"))
      set_default(entry["valueFrom"]["fieldRef"], "apiVersion", "v1");
  if (container["env"].empty()) container.erase("env");
  for (const char* probe : {"livenessProbe", "readinessProbe", "startupProbe"})
    if (container.contains(probe) && container[probe].contains("httpGet"))
      set_default(container[probe]["httpGet"], "scheme", "HTTP");
}

// ServiceAccount: the token of the account, mounted everywhere.
void add_token(Json& pod) {
  const Json sources = Json::parse(R"([
    {"serviceAccountToken": {"expirationSeconds": 3607, "path": "token"}},
    {"configMap": {"name": "kube-root-ca.crt", "items": [{"key": "ca.crt", "path": "ca.crt"}]}},
    {"downwardAPI": {"items": [{"path": "namespace", "fieldRef":
      {"apiVersion": "v1", "fieldPath": "metadata.namespace"}}]}}])");
  Json volume = {{"name", token_volume}};
  volume["projected"]["sources"] = sources;
  volume["projected"]["defaultMode"] = 420;
  pod["spec"]["volumes"].push_back(std::move(volume));
  for_all_containers(pod, [](Json& container) {
    Json mount = {{"name", token_volume}, {"readOnly", true}};
    mount["mountPath"] = "/var/run/secrets/kubernetes.io/serviceaccount";
    container["volumeMounts"].push_back(std::move(mount));
  });
}

void add_tolerations(Json& pod) {
  Json& tolerations = pod["spec"]["tolerations"];
  for (const char* taint : {"node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"})
    tolerations.push_back({{"key", taint},
                           {"operator", "Exists"},
                           {"effect", "NoExecute"},
                           {"tolerationSeconds", 300}});
  bool tpus = false;
  for_all_containers(pod, [&](Json& container) {
    tpus = tpus || container["resources"].dump().find("google.com/tpu") != std::string::npos;
  });
  if (tpus)
    pod["spec"]["tolerations"].push_back(
        {{"key", "google.com/tpu"}, {"operator", "Exists"}, {"effect", "NoSchedule"}});
}

Json priority_of_class(const Json& pod, const std::vector<Json>& documents) {
  for (const Json& document : documents)
    if (document["kind"] == "PriorityClass" && pod["spec"].contains("priorityClassName") &&
        document["metadata"]["name"] == pod["spec"]["priorityClassName"])
      return document["value"];
  return 0;
}

// "v1;digest;container:NAME=digest,NAME=digest;container:…"
std::set<std::string> recorded_variables(const std::string& record) {
  std::set<std::string> out;
  std::string word;
  for (const char c : record) {
    if (c == ';' || c == ':' || c == ',') {
      word.clear();
    } else if (c == '=') {
      out.insert(word);
    } else {
      word += c;
    }
  }
  return out;
}

template <class Unwanted>
void erase_items(Json& array, const Unwanted& unwanted) {
  Json kept = Json::array();
  for (const Json& item : array)
    if (!unwanted(item)) kept.push_back(item);
  array = std::move(kept);
}

void erase_our_keys(Json& pod, const char* map) {
  Json kept = Json::object();
  for (const auto& [key, value] : pod["metadata"][map].items())
    if (!key.starts_with(our_prefix)) kept[key] = value;
  pod["metadata"][map] = std::move(kept);
  if (pod["metadata"][map].empty()) pod["metadata"].erase(map);
}

void erase_our_terms(Json& pod) {
  const auto ours = [](const Json& term) {
    return term.dump().find(our_prefix) != std::string::npos;
  };
  Json& affinity = pod["spec"]["affinity"];
  Json kept = Json::object();
  for (auto& [kind, lists] : affinity.items())
    for (auto& [name, terms] : lists.items()) {
      erase_items(terms, ours);
      if (!terms.empty()) kept[kind][name] = terms;
    }
  affinity = kept;
  if (affinity.empty()) pod["spec"].erase("affinity");
}

}  // namespace

void add_defaults(Json& pod, const std::vector<Json>& documents) {
  for_all_containers(pod, default_container);
  add_token(pod);
  add_tolerations(pod);
  const Json priority = priority_of_class(pod, documents);
  Json& spec = pod["spec"];
  set_default(spec, "restartPolicy", "Always");
  set_default(spec, "terminationGracePeriodSeconds", 30);
  set_default(spec, "dnsPolicy", "ClusterFirst");
  set_default(spec, "serviceAccountName", "default");
  set_default(spec, "serviceAccount", spec["serviceAccountName"]);
  set_default(spec, "securityContext", Json::object());
  set_default(spec, "schedulerName", "default-scheduler");
  set_default(spec, "enableServiceLinks", true);
  set_default(spec, "priority", priority);
  set_default(spec, "preemptionPolicy", "PreemptLowerPriority");
}

void take_out_noise(Json& pod) {
  pod["metadata"].erase("managedFields");
  pod.erase("status");
  const auto rename = [](Json& list) {
    for (Json& item : list)
      if (item["name"].get<std::string>().starts_with(token_volume)) item["name"] = token_volume;
  };
  rename(pod["spec"]["volumes"]);
  for_all_containers(pod, [&](Json& container) { rename(container["volumeMounts"]); });
}

bool take_out_ours(Json& pod) {
  const Json& annotations = member(pod["metadata"], "annotations");
  const Json record = member(annotations, "tpu-webhook.dev/injected");
  if (!record.is_string()) return false;
  const std::set<std::string> variables = recorded_variables(record);
  for (const char* map : {"labels", "annotations"}) erase_our_keys(pod, map);
  for_all_containers(pod, [&](Json& container) {
    erase_items(container["env"],
                [&](const Json& entry) { return variables.contains(entry["name"]); });
    if (container["env"].empty()) container.erase("env");
  });
  erase_our_terms(pod);
  return true;
}

}  // namespace tpuwh::test
