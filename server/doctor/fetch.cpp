#include "server/doctor/fetch.hpp"

#include "server/kube/ledger_object.hpp"
#include "server/offline/json_text.hpp"

#include <fmt/format.h>

namespace tpuwh::server::doctor {

namespace {

using kube::Resource;
using kube::Response;

Resource registration(const char* plural) {
  return {"admissionregistration.k8s.io", "v1", plural, ""};
}

Resource rbac(const char* plural, const std::string& ns) {
  return {"rbac.authorization.k8s.io", "v1", plural, ns};
}

Json parsed(std::string_view text) {
  return json_fault(text) ? Json() : Json::parse(text, nullptr, false);
}

// What a 403 says, short: the line is one of many.
std::string not_allowed(std::string_view verb, const Resource& resource) {
  const std::string where = resource.ns.empty() ? "" : " in namespace " + resource.ns;
  return fmt::format("RBAC missing: {} {}{}", verb, resource.name(), where);
}

Read not_known(std::string why) {
  return {.found = Found::unknown, .object = {}, .why = std::move(why)};
}

// `resource` is for the sentence of what was refused.
Read answer(const Response& response, std::string_view verb, const Resource& resource) {
  if (!response.answered()) return {.found = Found::unknown, .object = {}, .why = response.error};
  if (response.head.status == 404) return {.found = Found::absent, .object = {}, .why = {}};
  if (response.head.status == 403)
    return {.found = Found::unknown, .object = {}, .why = not_allowed(verb, resource)};
  if (!response.ok())
    return {.found = Found::unknown,
            .object = {},
            .why = kube::sentence(verb, resource, response.status())};
  return {.found = Found::there, .object = parsed(response.body), .why = {}};
}

Read get(kube::Session& session, const Resource& resource, std::string_view name) {
  return answer(session.send(kube::get(resource, name)), "get", resource);
}

ReadList list(kube::Session& session, const Resource& resource, std::string_view labels,
              std::string_view kind) {
  ReadList out{.found = Found::there, .items = {}, .why = {}};
  const kube::Selectors selectors{.labels = std::string(labels), .fields = {}};
  const auto listing = session.list(
      resource, selectors, kind, [&](std::string_view text) { out.items.push_back(parsed(text)); });
  if (listing.whole()) return out;
  const bool forbidden = listing.end == kube::Listing::End::forbidden;
  return {.found = Found::unknown,
          .items = {},
          .why = forbidden ? not_allowed("list", resource) : listing.why};
}

// A path without objects: /version, /apis/ray.io.
Read get_path(kube::Session& session, const std::string& path) {
  kube::Request request;
  request.method = "GET";
  request.target = path;
  const Response response = session.send(std::move(request));
  if (response.answered() && response.head.status == 403)
    return {.found = Found::unknown,
            .object = {},
            .why = fmt::format("RBAC missing: get {}; it is in the ClusterRole system:discovery",
                               path)};
  return answer(response, "get", {"", "", path, ""});
}

// A watch-list of one namespace, which ends after a second. An API server that has it switched
// off answers 422 to sendInitialEvents; one that does not know it (before 1.27) answers as to
// any watch. source: KEP-3157; apiserver/pkg/endpoints/handlers/get.go (read 2026-11)
Read try_watch_list(kube::Session& session) {
  const Resource namespaces{"", "v1", "namespaces", ""};
  const kube::WatchOptions options{
      .version = {}, .timeout = std::chrono::seconds(1), .initial_events = true};
  const kube::Selectors one{.labels = {}, .fields = "metadata.name=kube-system"};
  const Response response = session.send(kube::watch(namespaces, one, options));
  constexpr std::string_view end_of_initial_events = "k8s.io/initial-events-end";
  const bool refused =
      response.answered() && (response.head.status == 422 || response.head.status == 400);
  if (refused) return {.found = Found::absent, .object = {}, .why = {}};
  if (response.ok() && response.body.find(end_of_initial_events) == std::string::npos)
    return {.found = Found::absent, .object = {}, .why = {}};
  if (response.ok()) return {.found = Found::there, .object = {}, .why = {}};
  return answer(response, "watch", namespaces);
}

void fetch_configurations(kube::Session& session, View& view) {
  const Resource mutating = registration("mutatingwebhookconfigurations");
  view.mutating = list(session, mutating, "", "MutatingWebhookConfiguration");
  view.configuration = get(session, mutating, installed_name);
  view.validating = get(session, registration("validatingwebhookconfigurations"), installed_name);
}

void fetch_workload(kube::Session& session, View& view) {
  const std::string& ns = view.ns;
  view.service = get(session, {"", "v1", "services", ns}, installed_name);
  view.endpoint_slices =
      list(session, {"discovery.k8s.io", "v1", "endpointslices", ns},
           fmt::format("kubernetes.io/service-name={}", installed_name), "EndpointSlice");
  view.deployment = get(session, {"apps", "v1", "deployments", ns}, installed_name);
  view.secret.why = view.pods.why =
      view.deployment.found == Found::absent ? "there is no Deployment" : view.deployment.why;
  if (!view.deployment.there()) return;
  const std::string secret = certificate_secret(view.deployment.object);
  view.secret = secret.empty() ? Read{.found = Found::absent, .object = {}, .why = {}}
                               : without_key(get(session, {"", "v1", "secrets", ns}, secret));
  view.pods = list(session, {"", "v1", "pods", ns}, pod_selector(view.deployment.object), "Pod");
}

// Read through the API server, which must reach the Pod: one that does not answer in time costs a
// person enough.
void fetch_replicas(kube::Session& session, View& view) {
  constexpr int default_port = 8081;
  std::string unreached;
  for (const Json& pod : view.pods.items) {
    if (!is_ready_pod(pod)) continue;
    const std::string name = text_member(member(pod, "metadata"), "name");
    if (!unreached.empty()) {
      view.replicas.push_back(
          {name, not_known("not asked, because " + unreached + " is not reached")});
      continue;
    }
    const int port = container_port(pod, "health");
    const Resource proxy{"", "v1", "pods", view.ns};
    kube::Request request =
        kube::get(proxy, fmt::format("{}:{}", name, port == 0 ? default_port : port));
    request.target += "/proxy/metrics";
    const Response response = session.send(std::move(request), limits::api::doctor_scrape);
    Read metrics = answer(response, "get", {"", "v1", "pods/proxy", view.ns});
    if (response.ok()) metrics.object = response.body;
    if (!response.ok() && metrics.found != Found::unknown)
      metrics = not_known("it has no /metrics: an older release");
    if (!response.answered() || response.head.status >= 500) unreached = name;
    view.replicas.push_back({name, std::move(metrics)});
  }
}

void fetch_rbac(kube::Session& session, View& view) {
  view.cluster_role = get(session, rbac("clusterroles", ""), installed_name);
  view.cluster_role_binding = get(session, rbac("clusterrolebindings", ""), installed_name);
  view.role = get(session, rbac("roles", view.ns), installed_name);
  view.role_binding = get(session, rbac("rolebindings", view.ns), installed_name);
}

}  // namespace

View fetch(kube::Session& session, const Installation& installed) {
  const auto& config = session.config();
  View view;
  view.server = fmt::format("{}:{} ({})", config.host, config.port, config.source);
  view.ns = installed.ns;
  view.now = std::chrono::system_clock::now();
  view.version = get_path(session, "/version");
  view.watch_list = try_watch_list(session);
  fetch_configurations(session, view);
  fetch_workload(session, view);
  fetch_replicas(session, view);
  fetch_rbac(session, view);
  view.ledger = list(session, kube::ledger_objects(view.ns), kube::ledger_label, "ConfigMap");
  view.ray = get_path(session, "/apis/ray.io");
  view.jobset = get_path(session, "/apis/jobset.x-k8s.io");
  view.lws = get_path(session, "/apis/leaderworkerset.x-k8s.io");
  return view;
}

}  // namespace tpuwh::server::doctor
