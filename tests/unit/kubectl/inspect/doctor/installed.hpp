// A cluster in which everything is as the chart makes it, for tests to break: what the real helm
// has rendered (tests/charts/golden/default.yaml), enforced, and what controllers and replicas add.
#pragma once

#include "kubectl/inspect/doctor/check.hpp"
#include "kubectl/inspect/doctor/layout.hpp"
#include "kubectl/inspect/doctor/settings_of.hpp"
#include "kubectl/inspect/doctor/snapshot.hpp"
#include "kubectl/inspect/doctor/view.hpp"
#include "kubectl/inspect/doctor/wanted.hpp"
#include "kubectl/reference/rules/entries.hpp"
#include "kubectl/text/base64.hpp"
#include "kubectl/text/yaml.hpp"
#include "server/text/read_file.hpp"
#include "tests/support/issued.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <utility>
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

inline const std::string metrics_of_a_replica =
    "tpu_webhook_watch_synced{resource=\"pods\"} 1\n"
    "tpu_webhook_watch_age_seconds{resource=\"pods\"} 41.5\n"
    "tpu_webhook_watch_age_seconds{resource=\"nodes\"} 3\n"
    "tpu_webhook_store_objects{resource=\"pods\"} 500\n"
    "tpu_webhook_store_objects{resource=\"nodes\"} 3000\n"
    "tpu_webhook_ledger_stalled_seconds 3.5\n";

inline const auto test_time = std::chrono::system_clock::from_time_t(1'790'000'000);  // 2026-09-21
using Objects = std::vector<Json>;

// The first object of a kind, and of a name where one is given.
inline Json& object_of(Objects& objects, const std::string& kind, const std::string& name = {}) {
  for (Json& each : objects)
    if (each["kind"] == kind && (name.empty() || each["metadata"]["name"] == name)) return each;
  throw std::runtime_error("no " + kind + " " + name);
}

// The entry of a configuration with a name.
inline Json& entry_of(Json& configuration, const std::string& name) {
  for (Json& each : configuration["webhooks"])
    if (each["name"] == name) return each;
  throw std::runtime_error("no entry " + name);
}

// Returns the objects that the real helm renders from the chart's default values.
inline const Objects& rendered() {
  static const auto text = text::read_file(TPUWH_RENDERED, text::max_small_bytes);
  static const auto objects = text::parse_yaml(*text).value().front().get<Objects>();
  return objects;
}

// Returns the webhook configuration of another product. Its only webhook is called for new Pods,
// and has the rules and the namespaceSelector of our first webhook, but no objectSelector.
inline Json configuration_of(const std::string& name) {
  Objects objects = rendered();
  Json entry = object_of(objects, "MutatingWebhookConfiguration")["webhooks"][0];
  entry.erase("objectSelector");
  entry["name"] = "pods." + name + ".dev";
  entry["clientConfig"]["service"]["name"] = name;
  entry["failurePolicy"] = "Fail";
  entry["matchConditions"] = Json::array({{{"name", "tpu"}}});
  return {{"metadata", {{"name", name}}}, {"webhooks", Json::array({entry})}};
}

inline std::string sha256_of(const std::string& text) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  EVP_Digest(text.data(), text.size(), digest.data(), &size, EVP_sha256(), nullptr);
  std::string out;
  for (unsigned i = 0; i < size; ++i) {
    std::array<char, 3> hex{};
    std::snprintf(hex.data(), hex.size(), "%02x", digest[i]);
    out += hex.data();
  }
  return out;
}

inline Json& template_of(Objects& objects) {
  return object_of(objects, "Deployment", "tpu-webhook")["spec"]["template"];
}

inline void replace_text(std::string& text, const std::string& from, const std::string& to) {
  if (const auto at = text.find(from); at != text.npos) text.replace(at, from.size(), to);
}

// The entries for Pods as the chart renders them for these modes.
inline void render_entries(Json& configuration, const webhook::config::Config& config) {
  using webhook::config::Mode;
  const auto requirement = [](const std::string& key, const char* op) {
    return Json{{"key", key}, {"operator", op}};
  };
  const std::vector<std::string> nobody = {"tpu-webhook.dev/left-out"};
  for (const rules::Entry& each : rules::entries(config)) {
    Json& entry = entry_of(configuration, each.name);
    Json all = Json::array();
    for (const auto& key : each.mode ? each.present : nobody)
      all.push_back(requirement(key, "Exists"));
    for (const auto& key : each.mode ? each.absent : nobody)
      all.push_back(requirement(key, "DoesNotExist"));
    entry.erase("objectSelector");
    if (!all.empty()) entry["objectSelector"] = {{"matchExpressions", all}};
    entry["matchConditions"] =
        Json::array({{{"name", each.condition}, {"expression", each.expression}}});
    const bool fails = each.mode == Mode::enforce;
    entry["failurePolicy"] = fails ? "Fail" : "Ignore";
    entry["timeoutSeconds"] = fails ? 10 : 2;
  }
  Json& of_shadow = entry_of(configuration, "shadow.pods.tpu-webhook.dev");
  of_shadow["matchConditions"][0]["expression"] = rules::any_expression(config);
}

// As the chart renders it with config.mode=enforce.
inline void enforce(Objects& objects) {
  Json& file = object_of(objects, "Secret", "tpu-webhook-config")["data"]["config.json"];
  std::string text = *text::decode_base64(file.get<std::string>());
  replace_text(text, R"("mode": "shadow")", R"("mode": "enforce")");
  file = text::encode_base64(text);
  template_of(objects)["metadata"]["annotations"]["checksum/config"] = sha256_of(text);
  render_entries(object_of(objects, "MutatingWebhookConfiguration"), {});
}

inline Json pod_named(Objects& objects, const std::string& name, const std::string& node) {
  Json pod = template_of(objects);
  pod["kind"] = "Pod";
  pod["metadata"]["name"] = name;
  pod["metadata"]["namespace"] = here;
  pod["spec"]["nodeName"] = node;
  const Json ready = {{"type", "Ready"}, {"status", "True"}};
  pod["status"]["conditions"] = Json::array({ready});
  return pod;
}

// Addresses of one family of these Pods.
inline Json slice_of(const std::vector<std::string>& pods, const std::string& family) {
  Json endpoints = Json::array();
  for (const std::string& each : pods)
    endpoints.push_back(
        {{"conditions", {{"ready", true}}}, {"targetRef", {{"kind", "Pod"}, {"name", each}}}});
  return {{"kind", "EndpointSlice"},
          {"metadata",
           {{"name", "tpu-webhook-" + family},
            {"namespace", here},
            {"labels", {{"kubernetes.io/service-name", "tpu-webhook"}}}}},
          {"addressType", family},
          {"endpoints", endpoints}};
}

inline Json namespace_of(const std::string& name, Json labels = Json::object()) {
  labels["kubernetes.io/metadata.name"] = name;
  return {{"kind", "Namespace"}, {"metadata", {{"name", name}, {"labels", labels}}}};
}

// Helm's record of a revision: as much of it as is kept.
inline Json record_of(int revision, const std::string& status) {
  return {{"metadata", {{"labels", {{"version", std::to_string(revision)}, {"status", status}}}}}};
}

inline const std::vector<std::string> replica_names = {"a", "b", "c"};

inline void add_replicas(Objects& objects) {
  for (std::size_t i = 0; i < replica_names.size(); ++i)
    objects.push_back(pod_named(objects, replica_names[i], "node-" + std::to_string(i)));
  objects.push_back(slice_of(replica_names, "IPv4"));
}

// What kubectl prints of it, with what the default values say, or enforced.
inline Objects sound_objects(bool enforced = true) {
  Objects objects = rendered();
  if (enforced) enforce(objects);
  for (Json& each : objects)
    each["metadata"]["annotations"] = {{"meta.helm.sh/release-name", "release"},
                                       {"meta.helm.sh/release-namespace", here}};
  objects.push_back({{"kind", "PriorityLevelConfiguration"},
                     {"metadata", {{"name", "workload-high"}}},
                     {"spec", {{"type", "Limited"}}}});
  for (const char* kind : {"ResourceQuota", "PodMonitor"})
    objects.push_back({{"kind", kind}, {"metadata", {{"name", "others"}, {"namespace", "ml"}}}});
  const std::string names[] = {"tpu-webhook." + here + ".svc"};
  const auto issued = test::issue(names, test_time);
  object_of(objects, "Secret", "tpu-webhook-certificate")["data"]["tls.crt"] =
      text::encode_base64(issued.pair.certificates);
  for (const char* kind : {"MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"})
    for (Json& entry : object_of(objects, kind)["webhooks"])
      entry["clientConfig"]["caBundle"] = text::encode_base64(issued.ca);
  Json& deployment = object_of(objects, "Deployment");
  deployment["status"]["availableReplicas"] = deployment["spec"]["replicas"];
  object_of(objects, "Deployment", "tpu-webhook-keeper")["status"]["availableReplicas"] = 1;
  add_replicas(objects);
  for (const char* each : {"default", "kube-system", "ml"}) objects.push_back(namespace_of(each));
  objects.push_back(namespace_of(here));
  objects.push_back(
      {{"kind", "ConfigMap"}, {"metadata", {{"name", "kube-root-ca.crt"}, {"namespace", here}}}});
  return objects;
}

// Of a file without typed lists.
inline bool listed_nowhere(std::string_view) {
  return false;
}

// Returns the view of the objects, with the answers that only a running cluster can give.
inline View live_view(const Objects& objects) {
  View view = view_of(objects, listed_nowhere, here, test_time);
  view.server = "127.0.0.1:6443";
  view.ns_is_asked = false;
  view.version = there({{"major", "1"}, {"minor", "31+"}, {"gitVersion", "v1.31.2-gke.1"}});
  view.watch_list = there(nullptr);
  view.releases_asked = true;
  view.releases = all({record_of(1, "deployed")});
  for (Replica& each : view.replicas) each.metrics = there(metrics_of_a_replica);
  for (Served& api : view.apis) api.read = api.kind == "RayCluster" ? there(nullptr) : absent();
  return view;
}

inline View installed() {
  static const View view = live_view(sound_objects());
  return view;
}

inline Json& webhook_of(View& view) {
  return view.configuration.object["webhooks"][0];
}

inline Json& program_of(View& view) {
  return view.deployment.object["spec"]["template"]["spec"]["containers"][0];
}

// Further flags, as extraArgs gives them.
inline void give(View& view, const std::vector<std::string>& flags) {
  for (const std::string& each : flags) program_of(view)["args"].push_back(each);
}

// Expects a line of `check` with this verdict and with `what` in its text, and a fix in each line
// that is not OK. If `alone` is true, the lines of all other checks must be OK.
inline void expect_said(const Checks& checks, Verdict verdict, std::string_view check,
                        std::string_view what, bool alone) {
  bool said = false;
  for (const Check& each : checks) {
    said = said || (each.verdict == verdict && each.check == check &&
                    each.what.find(what) != std::string::npos);
    // If the certificate may not be read, the check "trust" has the verdict UNKNOWN, too.
    const bool follows = each.check == "trust" && each.verdict == Verdict::unknown;
    if (alone && !follows && each.verdict != Verdict::ok) {
      EXPECT_EQ(each.check, check) << each.what;
    }
    EXPECT_EQ(each.fix.empty(), each.verdict == Verdict::ok) << each.what;
    const std::string before_note = each.fix.substr(0, each.fix.find(" # "));
    EXPECT_THAT(before_note, testing::Not(testing::ContainsRegex("(helm|kubectl) .*[;`]")));
  }
  EXPECT_TRUE(said) << "expected " << name(verdict) << ' ' << check << ": " << what << '\n'
                    << checks_text(checks, false).text();
}

// Other settings than the chart's file has, which nobody has rendered.
inline void set(View& view, Json settings) {
  for (const auto& [key, value] : settings.items()) view.config.object[key] = value;
  view.config_text.clear();
}

// Each workload API enforced or watched, or, where it is in neither, left out, as the chart renders
// that.
inline void split(View& view, const std::vector<std::string>& enforced,
                  const std::vector<std::string>& watched) {
  Json all = Json::array(), modes = Json::object();
  for (const std::string& each : enforced) all.push_back(each);
  for (const std::string& each : watched) {
    all.push_back(each);
    modes[each] = {{"mode", "shadow"}};
  }
  set(view, {{"workloads", all}, {"perWorkload", modes}, {"mode", "enforce"}});
  const Found found = std::exchange(view.config.found, Found::there);
  render_entries(view.configuration.object, layout_of(view));
  const Json checked = wanted_validations(view, true);
  for (std::size_t i = 0; i < checked.size(); ++i)
    view.validating.object["webhooks"][i]["rules"] = checked[i]["rules"];
  view.config.found = found;
}

}  // namespace tpuwh::server::doctor
