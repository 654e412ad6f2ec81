#include "kubectl/inspect/doctor/fetch.hpp"

#include "kubectl/inspect/doctor/objects.hpp"
#include "kubectl/objects/read_json.hpp"
#include "server/text/json_text.hpp"

#include <fmt/format.h>

namespace tpuwh::server::doctor {

namespace {

using kube::client::Resource;
using kube::client::Response;

// Returns the text for an API server's response with status 403. The text is short, because a
// report of `doctor` may have many such lines.
std::string not_allowed(std::string_view verb, const Resource& resource) {
  const std::string where = resource.ns.empty() ? "" : " in namespace " + resource.ns;
  return fmt::format("RBAC missing: {} {}{}", verb, resource.name(), where);
}

// `resource` is for the sentence of what was refused.
Read answer(const Response& response, std::string_view verb, const Resource& resource) {
  if (!response.answered()) return not_known(response.error);
  if (response.head.status == 404) return {.found = Found::absent, .object = {}, .why = {}};
  if (response.head.status == 403) return not_known(not_allowed(verb, resource));
  if (!response.ok()) return not_known(kube::client::sentence(verb, resource, response.status()));
  return {.found = Found::there, .object = objects::parse_json(response.body), .why = {}};
}

class Live final : public Objects {
 public:
  explicit Live(running::ApiServer& session) : session_(session) {}

  Read get(const Resource& resource, const std::string&, const std::string& name) override {
    return get_object(session_, resource, name);
  }

  ReadList list(const Resource& resource, const std::string& kind,
                const std::string& labels) override {
    ReadList out{.found = Found::there, .items = {}, .why = {}};
    const kube::client::Selectors selectors{.labels = labels, .fields = {}};
    const auto listing = session_.list(resource, selectors, kind, [&](std::string_view text) {
      out.items.push_back(objects::parse_json(text));
    });
    if (listing.whole()) return out;
    if (listing.end == running::Listing::End::not_served)
      return {.found = Found::absent, .items = {}, .why = listing.why};
    const bool forbidden = listing.end == running::Listing::End::forbidden;
    return {.found = Found::unknown,
            .items = {},
            .why = forbidden ? not_allowed("list", resource) : listing.why};
  }

 private:
  running::ApiServer& session_;
};

// A path without objects: /version, /apis/ray.io.
Read get_path(running::ApiServer& session, const std::string& path) {
  kube::client::Request request;
  request.method = "GET";
  request.target = path;
  const Response response = session.send(std::move(request));
  if (response.answered() && response.head.status == 403)
    return not_known(
        fmt::format("RBAC missing: get {}; it is in the ClusterRole system:discovery", path));
  return answer(response, "get", {"", "", path, ""});
}

// A watch-list of one namespace, which ends after a second. An API server that has it switched
// off answers 422 to sendInitialEvents; one that does not know it (before 1.27) answers as to
// any watch. source: KEP-3157; apiserver/pkg/endpoints/handlers/get.go (read 2026-11)
Read try_watch_list(running::ApiServer& session) {
  const Resource namespaces{"", "v1", "namespaces", ""};
  const kube::client::WatchOptions options{
      .version = {}, .timeout = std::chrono::seconds(1), .initial_events = true};
  const kube::client::Selectors one{.labels = {}, .fields = "metadata.name=kube-system"};
  const Response response = session.send(kube::client::watch(namespaces, one, options));
  constexpr std::string_view end_of_initial_events = "k8s.io/initial-events-end";
  const bool refused =
      response.answered() && (response.head.status == 422 || response.head.status == 400);
  if (refused) return {.found = Found::absent, .object = {}, .why = {}};
  if (response.ok() && response.body.find(end_of_initial_events) == std::string::npos)
    return {.found = Found::absent, .object = {}, .why = {}};
  if (response.ok()) return {.found = Found::there, .object = {}, .why = {}};
  return answer(response, "watch", namespaces);
}

// Read through the API server, which must reach the Pod: one that does not answer in time costs a
// person enough.
void fetch_replicas(running::ApiServer& session, View& view) {
  constexpr int default_port = 8081;
  std::string unreached;
  for (const Json& pod : view.pods.items) {
    if (!is_ready_pod(pod)) continue;
    const std::string name = name_of_object(pod);
    if (!unreached.empty()) {
      view.replicas.push_back(
          {name, not_known("not asked, because " + unreached + " is not reached")});
      continue;
    }
    const int port = container_port(pod, "metrics");
    const Resource proxy{"", "v1", "pods", view.ns};
    kube::client::Request request =
        kube::client::get(proxy, fmt::format("{}:{}", name, port == 0 ? default_port : port));
    request.target += "/proxy/metrics";
    const Response response = session.send(std::move(request), limits::api::doctor_scrape);
    Read metrics = answer(response, "get", {"", "v1", "pods/proxy", view.ns});
    if (response.ok()) metrics.object = response.body;
    if (!response.ok() && metrics.found != Found::unknown)
      metrics = not_known("it has no /metrics: it is an older release");
    if (!response.answered() || response.head.status >= 500) unreached = name;
    view.replicas.push_back({name, std::move(metrics)});
  }
}

}  // namespace

Read get_object(running::ApiServer& session, const Resource& resource, const std::string& name) {
  return answer(session.send(kube::client::get(resource, name)), "get", resource);
}

View fetch(running::ApiServer& session, const running::Installation& installed, bool ns_is_asked) {
  const auto& config = session.config();
  View view;
  view.server = fmt::format("{}:{} ({})", config.host, config.port, config.source);
  view.ns = installed.ns;
  view.ns_is_asked = ns_is_asked;
  view.now = std::chrono::system_clock::now();
  view.version = get_path(session, "/version");
  view.watch_list = try_watch_list(session);
  Live objects(session);
  read_objects(objects, view);
  read_releases(objects, view);
  fetch_replicas(session, view);
  for (Served& api : view.apis) api.read = get_path(session, "/apis/" + api.group);
  return view;
}

}  // namespace tpuwh::server::doctor
