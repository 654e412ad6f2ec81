#include "server/tools/predict/trial/amounts.hpp"

#include "server/text/json_text.hpp"
#include "server/tools/objects/json_path.hpp"
#include "server/tools/objects/quantity.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tpuwh::server::trial {

namespace {

using objects::at;

bool is_limited(const std::string& name) {
  return name == "cpu" || name == "memory" || name == "ephemeral-storage";
}

bool is_of_whole_pods(const std::string& name) {
  return name == "cpu" || name == "memory" || name.starts_with("hugepages-");
}

Amounts listed(const Json& list) {
  Amounts out;
  if (list.is_object())
    for (const auto& [name, value] : list.items())
      if (const auto amount = objects::quantity_of(&value)) out[name] = amount->value;
  return out;
}

void add(Amounts& sum, const Amounts& more) {
  for (const auto& [name, amount] : more) sum[name] += amount;
}

// Requests or limits of a container, or of a whole Pod. What is not requested is requested as
// limited.
Amounts of_container(const Json& container, const char* what) {
  Amounts out = listed(at(container, {"resources", what}));
  if (what == std::string_view("requests")) {
    const Amounts limits = listed(at(container, {"resources", "limits"}));
    out.insert(limits.begin(), limits.end());
  }
  return out;
}

// The containers together, or the one that is the largest while the Pod begins. One of those that
// restart runs on beside all that come after it.
Amounts of_containers(const Json& pod, const char* what) {
  Amounts running, most, beside;
  for (const Json& each : at(pod, {"spec", "containers"})) add(running, of_container(each, what));
  for (const Json& each : at(pod, {"spec", "initContainers"})) {
    Amounts now = beside;
    add(now, of_container(each, what));
    for (const auto& [name, amount] : now) most[name] = std::max(most[name], amount);
    if (text::text_member(each, "restartPolicy") != "Always") continue;
    add(running, of_container(each, what));
    beside = now;
  }
  for (const auto& [name, amount] : most) running[name] = std::max(running[name], amount);
  return running;
}

Amounts of_pod(const Json& pod, const char* what) {
  Amounts out = of_containers(pod, what);
  for (const auto& [name, amount] : of_container(at(pod, {"spec"}), what))
    if (is_of_whole_pods(name)) out[name] = amount;
  const bool limits = what == std::string_view("limits");
  for (const auto& [name, amount] : listed(at(pod, {"spec", "overhead"})))
    if (!limits || out.contains(name)) out[name] += amount;
  return out;
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
  for (const auto& [name, amount] : of_pod(pod, "requests"))
    out[fmt::format("requests.{}", name)] = amount;
  for (const auto& [name, amount] : of_pod(pod, "limits"))
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
