#include "kubectl/objects/keys.hpp"
#include "kubectl/objects/label_selector.hpp"
#include "kubectl/objects/quantity.hpp"
#include "kubectl/predict/explain/hindrances.hpp"
#include "kubectl/predict/explain/no_node.hpp"
#include "kubectl/predict/explain/pod_json.hpp"
#include "topology/machine_size.hpp"
#include "webhook/read/vocabulary.hpp"

#include <fmt/format.h>

#include <map>
#include <set>
#include <utility>

namespace tpuwh::server::explain {

namespace {

namespace key = webhook::read::key;

bool is_true(const Json& value) {
  return value == Json(true);
}

// --- Who places it ------------------------------------------------------------------------

void look_at_os(const Json& spec, Hindrances& out) {
  if (text::text_member(text::member(spec, "os"), "name") != "windows") return;
  out.faults.push_back(
      no_node("spec.os.name is windows, but nodes with TPUs run Linux", "remove spec.os"));
}

// What a controller makes has the node of its template, each of them.
void look_at_node_name(const Json& pod, const slices::SeenPod& seen, Hindrances& out) {
  const std::string node = text::text_member(at(pod, {"spec"}), "nodeName");
  if (node.empty()) return;
  if (seen.multi_host() && !at(pod, {"metadata", "ownerReferences"}).empty())
    out.faults.push_back(no_node(
        fmt::format("spec.nodeName puts all {} hosts of a slice on node {}, which is one host",
                    seen.hosts, node),
        "remove spec.nodeName; the node selectors choose the nodes"));
  else
    out.notes.push_back(
        fmt::format("spec.nodeName is {}: no scheduler is involved, and the kubelet refuses the "
                    "Pod if that node has fewer than {} free chips",
                    node, seen.chips));
}

void look_at_classes(const Json& spec, Hindrances& out) {
  if (const auto name = text::text_member(spec, "runtimeClassName"); !name.empty())
    out.notes.push_back(
        fmt::format("RuntimeClass {} must exist, else no Pod is created; its additions to the node "
                    "selector, the tolerations and the overhead are not known here",
                    name));
  const auto scheduler = text::text_member(spec, "schedulerName");
  if (!scheduler.empty() && scheduler != "default-scheduler")
    out.notes.push_back(
        fmt::format("scheduler {} places the Pods: statements about nodes hold for the default one",
                    scheduler));
}

// Two hosts of a slice stand in one domain of whatever is wider than a host. Of node pools
// no_node.cpp has a word.
void look_at_spread(const Json& pod, const slices::SeenPod& seen, Hindrances& out) {
  const Json& constraints = at(pod, {"spec", "topologySpreadConstraints"});
  if (!constraints.is_array()) return;
  for (const Json& each : constraints) {  // the first of them is told
    const auto topology_key = text::text_member(each, "topologyKey");
    const Json& skew = text::member(each, "maxSkew");
    const std::uint64_t most = skew.is_number_unsigned() ? skew.get<std::uint64_t>() : 1;
    if (text::text_member(each, "whenUnsatisfiable") == "ScheduleAnyway" ||
        topology_key == objects::key::hostname || topology_key == key::node_pool ||
        seen.hosts <= most || !objects::finds_its_own(pod, each))
      continue;
    out.notes.push_back(
        fmt::format("topologySpreadConstraints allow one {} at most {} of the Pods more than "
                    "another, but the {} hosts of a slice must be in one: if their nodes are in "
                    "several, the slice does not form",
                    topology_key, most, seen.hosts));
    return;
  }
}

// Of node pools no_node.cpp has a word.
void look_at_repelled(const Json& pod, const slices::SeenPod& seen, Hindrances& out) {
  const Json& terms = at(pod, {"spec", "affinity", "podAntiAffinity",
                               "requiredDuringSchedulingIgnoredDuringExecution"});
  if (!terms.is_array() || !seen.multi_host()) return;
  for (const Json& term : terms) {
    const auto wide = text::text_member(term, "topologyKey");
    if ((wide != objects::key::zone && wide != objects::key::region) ||
        !objects::finds_its_own(pod, term))
      continue;
    out.faults.push_back(
        no_node(fmt::format("required podAntiAffinity gives each of these Pods a {} of its own, "
                            "but the {} hosts of a slice must be in one",
                            wide, seen.hosts),
                "remove the term, or let it select Pods of other workloads"));
    return;
  }
}

// --- What a node has to have --------------------------------------------------------------

// An extended resource has a domain that is not Kubernetes' own.
bool is_extended(std::string_view resource) {
  const auto slash = resource.find('/');
  return slash != std::string_view::npos && !resource.substr(0, slash).ends_with("kubernetes.io") &&
         resource != key::tpu && resource != objects::key::gpu;  // no_node.cpp has a word for it
}

// ", and 3 more"; "" of one alone.
std::string and_more(std::size_t count) {
  return count < 2 ? std::string() : fmt::format(", and {} more", count - 1);
}

void look_at_extended(const Json& pod, Hindrances& out) {
  std::set<std::string> resources;
  for (const Json& container : at(pod, {"spec", "containers"})) {
    const Json& limits = at(container, {"resources", "limits"});
    if (!limits.is_object()) continue;
    for (const auto& [resource, value] : limits.items())
      if (const auto amount = objects::quantity_of(&value);
          is_extended(resource) && amount && amount->value > 0)
        resources.insert(resource);
  }
  if (!resources.empty())
    out.notes.push_back(
        fmt::format("the Pods ask for {}{}: whether nodes with TPUs have it is not known here",
                    *resources.begin(), and_more(resources.size())));
}

// --- What the API server and the kubelet refuse -------------------------------------------

struct HostPorts {
  std::map<std::string, std::string> taken;  // "TCP//8431", by which container
  std::string first;                         // that is taken twice: who does, and which it is
  std::size_t twice = 0;
};

// With hostNetwork every port is one of the host's.
void take_ports(const Json& container, bool of_host, HostPorts& all) {
  const std::string name = text::text_member(container, "name");
  const Json& ports = text::member(container, "ports");
  if (!ports.is_array()) return;
  for (const Json& each : ports) {
    const Json* port = text::find_member(each, "hostPort");
    if (port == nullptr && of_host) port = text::find_member(each, "containerPort");
    if (port == nullptr || !port->is_number_unsigned() || *port == Json(0)) continue;
    const std::string said = text::text_member(each, "protocol");
    const std::string protocol = said.empty() ? "TCP" : said;
    const std::string number = fmt::format("{}", port->get<std::uint64_t>());
    const auto [found, fresh] = all.taken.try_emplace(
        fmt::format("{}/{}/{}", protocol, text::text_member(each, "hostIP"), number), name);
    if (fresh || ++all.twice > 1) continue;
    const std::string& other = found->second;
    all.first = other == name ? fmt::format("container {} lists port {}/{} of the host twice", name,
                                            number, protocol)
                              : fmt::format("containers {} and {} both take port {}/{} of the host",
                                            other, name, number, protocol);
  }
}

void look_at_ports(const Json& spec, Hindrances& out) {
  const bool of_host = is_true(text::member(spec, "hostNetwork"));
  HostPorts all;
  for (const Json& each : text::member(spec, "containers")) take_ports(each, of_host, all);
  if (all.twice == 0) return;
  out.faults.push_back(
      no_node(fmt::format("{}{}{}, and the API server refuses such a Pod", all.first,
                          of_host ? " (hostNetwork)" : "", and_more(all.twice)),
              "give each a port of its own, or list it once"));
}

void look_at_users(const Json& spec, Hindrances& out) {
  if (text::member(spec, "hostUsers") != Json(false)) return;
  for (const char* shared : {"hostNetwork", "hostPID", "hostIPC"})
    if (is_true(text::member(spec, shared)))
      out.faults.push_back(no_node(
          fmt::format("{} is true and hostUsers is false, which the API server refuses", shared),
          "set only one of them"));
}

constexpr std::size_t most_of_kernel = 64;  // bytes of a host name

void look_at_full_name(const Json& pod, Hindrances& out) {
  const Json& spec = at(pod, {"spec"});
  const std::string subdomain = text::text_member(spec, "subdomain");
  if (!is_true(text::member(spec, "setHostnameAsFQDN")) || subdomain.empty()) return;
  std::string host = text::text_member(spec, "hostname");
  if (host.empty()) host = text::text_member(at(pod, {"metadata"}), "name");
  const auto full = fmt::format("{}.{}.{}.svc.cluster.local", host, subdomain,
                                text::text_member(at(pod, {"metadata"}), "namespace"));
  if (host.empty() || full.size() <= most_of_kernel) return;
  out.faults.push_back(no_node(
      fmt::format("with setHostnameAsFQDN its host name is {}, which has {} characters of at most "
                  "{}: the kubelet does not start such a Pod",
                  full, full.size(), most_of_kernel),
      "remove setHostnameAsFQDN, or use shorter names"));
}

}  // namespace

Hindrances hindrances_of_pod(const Json& pod, const slices::SeenPod& seen) {
  const Json& spec = at(pod, {"spec"});
  Hindrances out;
  look_at_os(spec, out);
  look_at_node_name(pod, seen, out);
  look_at_classes(spec, out);
  look_at_spread(pod, seen, out);
  look_at_repelled(pod, seen, out);
  look_at_extended(pod, out);
  look_at_ports(spec, out);
  look_at_users(spec, out);
  look_at_full_name(pod, out);
  return out;
}

std::vector<Finding> larger_than(const topology::MachineType& machine,
                                 const std::map<std::string, double>& requests) {
  std::vector<Finding> out;
  const auto size = topology::size_of(machine.name);
  const auto compare = [&](const char* resource, double most, double unit, const char* word) {
    const auto found = requests.find(resource);
    if (!size || found == requests.end() || found->second <= most) return;
    out.push_back(no_node(
        fmt::format("a Pod requests {:.10g} {}, and a {} has {:.10g}, some of it for the system",
                    found->second / unit, word, machine.name, most / unit),
        "request less"));
  };
  constexpr double gib = 1024.0 * 1024 * 1024;
  compare("cpu", size ? size->vcpus : 0, 1, "CPUs");
  compare("memory", size ? size->memory_gb * gib : 0, gib, "GiB of memory");
  return out;
}

}  // namespace tpuwh::server::explain
