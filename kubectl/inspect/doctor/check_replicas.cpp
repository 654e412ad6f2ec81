// The replicas as they run: where they stand, and what stands beside the program in them.
#include "base/counted.hpp"
#include "kubectl/inspect/doctor/check.hpp"
#include "kubectl/inspect/doctor/commands.hpp"
#include "kubectl/inspect/running/installation.hpp"
#include "server/text/json_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <set>

namespace tpuwh::server::doctor {

namespace {

constexpr auto replicas_line = "replicas";

// A proxy of a service mesh, before the program: where the mesh asks for certificates of its own,
// it refuses the API server, which has none.
struct Mesh {
  const char *container, *name;
  const char* skipped_ports;  // an annotation
  const char* flag;           // how Pods are left out of it
};

const Mesh meshes[] = {
    {"istio-proxy", "Istio", "traffic.sidecar.istio.io/excludeInboundPorts",
     R"(--set-string 'podLabels.sidecar\.istio\.io/inject=false')"},
    {"linkerd-proxy", "Linkerd", "config.linkerd.io/skip-inbound-ports",
     R"(--set-string 'podAnnotations.linkerd\.io/inject=disabled')"},
};

// Those that run beside the program all the time.
std::set<std::string> beside(const Json& pod) {
  std::set<std::string> out;
  const Json& spec = text::member(pod, "spec");
  for (const Json& each : text::member(spec, "containers"))
    if (text::text_member(each, "name") != running::installed_name)
      out.insert(text::text_member(each, "name"));
  for (const Json& each : text::member(spec, "initContainers"))
    if (text::text_member(each, "restartPolicy") == "Always")
      out.insert(text::text_member(each, "name"));
  return out;
}

// Whether the mesh leaves the port to the program. "*", or a list.
bool is_skipped(const Json& pod, const Mesh& mesh, int port) {
  const std::string ports = text::text_member(
      text::member(text::member(pod, "metadata"), "annotations"), mesh.skipped_ports);
  return ports == "*" || fmt::format(",{},", ports).find(fmt::format(",{},", port)) != ports.npos;
}

bool check_meshes(const View& view, Checks& out) {
  const std::size_t before = out.size();
  for (const Mesh& mesh : meshes) {
    std::vector<std::string> pods;
    for (const Json& pod : view.pods.items)
      if (beside(pod).contains(mesh.container) &&
          !is_skipped(pod, mesh, container_port(pod, "https")))
        pods.push_back(name_of_object(pod));
    if (!pods.empty())
      warn(out, replicas_line,
           fmt::format("{} ({}) is in front of the program in {}: if the mesh requires its own "
                       "certificates, it refuses the API server, which has none",
                       mesh.container, mesh.name, fmt::join(pods, ", ")),
           with_values(view, {mesh.flag}));
  }
  return out.size() == before;
}

bool check_proxies(const View& view, Checks& out) {
  static const std::set<std::string> names = {"HTTPS_PROXY", "https_proxy"};
  std::set<std::string> found;
  const Json& program = own_container(pod_template(view.deployment.object));
  for (const Json& each : text::member(program, "env"))
    if (const auto name = text::text_member(each, "name"); names.contains(name)) found.insert(name);
  const bool by_value = !found.empty();
  for (const Json& pod : view.pods.items)
    for (const Json& each : text::member(own_container(pod), "env"))
      if (const auto name = text::text_member(each, "name"); names.contains(name))
        found.insert(name);
  if (found.empty()) return true;
  warn(out, replicas_line,
       fmt::format(
           "{} is set for the program, which uses no proxy: it calls the API server directly",
           fmt::join(found, ", ")),
       by_value ? without_variables(view, found)
                : "it is not in the Deployment: it is set in each new Pod");
  return false;
}

std::map<std::string, std::vector<std::string>> by_node(const View& view) {
  std::map<std::string, std::vector<std::string>> out;
  for (const Json& pod : view.pods.items)
    if (const auto node = text::text_member(text::member(pod, "spec"), "nodeName"); !node.empty())
      out[node].push_back(name_of_object(pod));
  return out;
}

}  // namespace

void check_replicas(const View& view, Checks& out) {
  if (!view.deployment.there()) return;
  if (!view.pods.there()) return unknown(out, replicas_line, view.pods.why);
  const bool no_mesh = check_meshes(view, out), no_proxy = check_proxies(view, out);
  const auto nodes = by_node(view);
  std::size_t bound = 0;
  std::vector<std::string> names;
  for (const auto& [node, pods] : nodes) {
    bound += pods.size();
    names.push_back(node);
  }
  if (nodes.size() == 1 && bound > 1)
    return warn(out, replicas_line,
                fmt::format("all {} replicas are on node {}: if it fails, no replica answers",
                            bound, names.front()),
                with_note(kubectl(view.ns, "rollout restart deployment/tpu-webhook"),
                          "spreads them if other nodes have room for one"));
  if (!no_mesh || !no_proxy) return;
  std::set<std::string> others;
  for (const Json& pod : view.pods.items) others.merge(beside(pod));
  ok(out, replicas_line,
     fmt::format(
         "{} on {}{}", base::counted(bound, "replica"),
         names.empty() ? std::string("no node yet") : fmt::format("{}", fmt::join(names, ", ")),
         others.empty() ? "" : fmt::format("; other containers: {}", fmt::join(others, ", "))));
}

}  // namespace tpuwh::server::doctor
