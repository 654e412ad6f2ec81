// A cluster in which everything is as the chart makes it, for tests to break.
#pragma once

#include "server/doctor/view.hpp"
#include "server/kube/cluster/rbac.hpp"
#include "server/text/base64.hpp"
#include "server/tls/issuing.hpp"

#include <string>
#include <vector>

namespace tpuwh::server::doctor {

inline const std::string here = "tpu-webhook-system";

inline Read there(Json object) {
  return {.found = Found::there, .object = std::move(object), .why = {}};
}
inline ReadList all(std::vector<Json> items) {
  return {.found = Found::there, .items = std::move(items), .why = {}};
}
inline Read absent() {
  return {.found = Found::absent, .object = {}, .why = {}};
}
inline Read forbidden(const std::string& what) {
  return {.found = Found::unknown, .object = {}, .why = "RBAC missing: " + what};
}

// A configuration with one webhook for new Pods.
inline Json configuration_of(const std::string& name, const std::string& ca) {
  const Json names = {{"key", "kubernetes.io/metadata.name"},
                      {"operator", "NotIn"},
                      {"values", {"kube-system", here}}};
  const Json rule = {{"apiGroups", {""}}, {"resources", {"pods"}}, {"operations", {"CREATE"}}};
  return {
      {"metadata", {{"name", name}}},
      {"webhooks",
       Json::array({{{"name", "pods." + name + ".dev"},
                     {"clientConfig",
                      {{"caBundle", text::encode_base64(ca)},
                       {"service", {{"name", name}, {"namespace", here}, {"path", "/mutate"}}}}},
                     {"failurePolicy", "Fail"},
                     {"timeoutSeconds", 10},
                     {"matchPolicy", "Equivalent"},
                     {"sideEffects", "NoneOnDryRun"},
                     {"reinvocationPolicy", "IfNeeded"},
                     {"matchConditions", Json::array({{{"name", "tpu"}}})},
                     {"namespaceSelector", {{"matchExpressions", Json::array({names})}}},
                     {"rules", Json::array({rule})}}})}};
}

// An entry beside the first of configuration_of(), for the Pods of one workload API, or of none.
inline Json entry_of(const Json& configuration, const std::string& word,
                     const std::string& policy) {
  Json entry = configuration["webhooks"][0];
  entry["name"] = word + ".pods.tpu-webhook.dev";
  entry["failurePolicy"] = policy;
  entry["timeoutSeconds"] = policy == "Ignore" ? 2 : 10;
  if (word == "shadow") entry["clientConfig"]["service"]["path"] = "/shadow";
  return entry;
}

// The entries of one for each of `enforced` and `watched`, of claims and of shadow namespaces.
inline void split(Json& configuration, const std::vector<std::string>& enforced,
                  const std::vector<std::string>& watched) {
  Json entries = Json::array();
  for (const std::string& each : enforced) entries.push_back(entry_of(configuration, each, "Fail"));
  for (const std::string& each : watched)
    entries.push_back(entry_of(configuration, each, "Ignore"));
  for (const char* each : {"claims", "shadow"})
    entries.push_back(entry_of(configuration, each, "Ignore"));
  configuration["webhooks"] = entries;
}

// The entry of namespaces in shadow mode, as the chart writes it.
inline void watch_namespaces(Json& configuration) {
  Json entry = entry_of(configuration, "shadow", "Ignore");
  entry["namespaceSelector"]["matchExpressions"].push_back(
      {{"key", "tpu-webhook.dev/mode"}, {"operator", "In"}, {"values", Json::array({"shadow"})}});
  configuration["webhooks"].push_back(entry);
}

inline Json role_of(bool own_namespace) {
  Json rules = Json::array();
  for (const kube::cluster::RbacRule& rule : kube::cluster::rbac_rules())
    if (rule.own_namespace == own_namespace) {
      rules.push_back({{"apiGroups", Json::array({rule.api_group})},
                       {"resources", Json::array({rule.resource})},
                       {"verbs", rule.verbs}});
      if (!rule.names.empty()) rules.back()["resourceNames"] = rule.names;
    }
  return {{"rules", rules}};
}

inline Json binding_of(const std::string& kind) {
  const Json subject = {{"kind", "ServiceAccount"}, {"name", "tpu-webhook"}, {"namespace", here}};
  return {{"roleRef", {{"kind", kind}, {"name", "tpu-webhook"}}},
          {"subjects", Json::array({subject})}};
}

inline Json deployment_of(std::vector<std::string> args) {
  const Json container = {{"name", "tpu-webhook"}, {"args", std::move(args)}};
  const Json volume = {{"name", "certificate"}, {"secret", {{"secretName", "serving"}}}};
  return {{"spec",
           {{"replicas", 2},
            {"selector", {{"matchLabels", {{"app", "tpu-webhook"}}}}},
            {"template",
             {{"spec",
               {{"serviceAccountName", "tpu-webhook"},
                {"containers", Json::array({container})},
                {"volumes", Json::array({volume})}}}}}}},
          {"status", {{"availableReplicas", 2}}}};
}

inline Json pod_of(const std::string& image) {
  const Json container = {{"name", "tpu-webhook"}, {"image", image}};
  return {{"spec", {{"containers", Json::array({container})}}}};
}

inline const std::string metrics_of_a_replica =
    "tpu_webhook_watch_synced{resource=\"pods\"} 1\n"
    "tpu_webhook_watch_age_seconds{resource=\"pods\"} 41.5\n"
    "tpu_webhook_watch_age_seconds{resource=\"nodes\"} 3\n"
    "tpu_webhook_ledger_stalled_seconds 3.5\n";

inline Json secret_of(const std::string& certificates) {
  return {{"data", {{"tls.crt", text::encode_base64(certificates)}}}};
}

inline View installed() {
  View view;
  view.server = "127.0.0.1:6443";
  view.ns = here;
  view.now = std::chrono::system_clock::from_time_t(1'790'000'000);  // 2026-09-21
  const std::string names[] = {"tpu-webhook." + here + ".svc"};
  const auto issued = tls::issue(names, view.now);
  view.version = there({{"major", "1"}, {"minor", "31+"}, {"gitVersion", "v1.31.2-gke.1"}});
  view.watch_list = there(nullptr);
  const Json ours = configuration_of("tpu-webhook", issued.ca);
  view.configuration = there(ours);
  view.mutating = all({ours});
  view.validating = there(ours);
  view.config = absent();
  view.secret_name = "serving";
  view.service = there({{"spec", {{"type", "ClusterIP"}}}});
  const Json endpoint = {{"conditions", {{"ready", true}}}};
  view.endpoint_slices = all({{{"endpoints", Json::array({endpoint, endpoint})}}});
  view.deployment = there(deployment_of({"serve", "--ledger=cluster"}));
  view.pods = all({pod_of("tpu-webhook:1"), pod_of("tpu-webhook:1")});
  view.replicas = {{"a", there(metrics_of_a_replica)}, {"b", there(metrics_of_a_replica)}};
  view.secret = there(secret_of(issued.pair.certificates));
  view.cluster_role = there(role_of(false));
  view.cluster_role_binding = there(binding_of("ClusterRole"));
  view.role = there(role_of(true));
  view.role_binding = there(binding_of("Role"));
  view.ledger = all({});
  view.ray = there(nullptr);
  view.jobset = absent();
  view.lws = absent();
  return view;
}

}  // namespace tpuwh::server::doctor
