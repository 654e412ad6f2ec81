#include "kubectl/predict/trial/amounts.hpp"

#include "kubectl/objects/json_path.hpp"
#include "kubectl/objects/pod_resources.hpp"
#include "server/text/json_text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tpuwh::server::trial {

namespace {

using objects::at;

bool is_limited(const std::string& name) {
  return name == "cpu" || name == "memory" || name == "ephemeral-storage";
}

// Without node ports a load balancer counts those that somebody asked for by number.
double node_ports(const Json& service, const std::string& type) {
  const Json& ports = at(service, {"spec", "ports"});
  if (type != "NodePort" && type != "LoadBalancer") return 0;
  const bool all =
      type == "NodePort" || at(service, {"spec", "allocateLoadBalancerNodePorts"}) != Json(false);
  return static_cast<double>(std::ranges::count_if(
      ports, [&](const Json& port) { return all || !text::member(port, "nodePort").is_null(); }));
}

}  // namespace

Amounts amounts_of_pod(const Json& pod) {
  Amounts out = {{"pods", 1}};
  for (const auto& [name, amount] : objects::requests_of_pod(pod))
    out[fmt::format("requests.{}", name)] = amount;
  for (const auto& [name, amount] : objects::limits_of_pod(pod))
    if (is_limited(name)) out[fmt::format("limits.{}", name)] = amount;
  return out;
}

Amounts amounts_of_object(const Json& object, const kube::client::Resource& resource) {
  Amounts out = {{"count/" + resource.name(), 1}};
  if (!resource.group.empty() || resource.plural != "services") return out;
  const std::string type = text::text_member(at(object, {"spec"}), "type");
  out["services"] = 1;
  if (type == "LoadBalancer") out["services.loadbalancers"] = 1;
  if (const double ports = node_ports(object, type); ports > 0) out["services.nodeports"] = ports;
  return out;
}

std::string long_name(const std::string& name) {
  if (is_limited(name) || name.starts_with("hugepages-")) return "requests." + name;
  return name == "count/pods" ? "pods" : name;
}

}  // namespace tpuwh::server::trial
