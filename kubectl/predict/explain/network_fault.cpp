#include "kubectl/predict/explain/network_fault.hpp"

#include "server/text/json_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

namespace tpuwh::server::explain {

namespace {

constexpr auto network_group = "networking.k8s.io/";

// "NetworkPolicy ml/deny", "NetworkPolicies ml/a and ml/b"
std::string policy_words(const network::Blocked& blocked, const std::string& ns) {
  std::vector<std::string> names;
  for (const std::string& each : blocked.policies) names.push_back(fmt::format("{}/{}", ns, each));
  return fmt::format("{} {}", names.size() == 1 ? "NetworkPolicy" : "NetworkPolicies",
                     fmt::join(names, " and "));
}

// "port 8471 (libtpu's default)", "ports 8471 (…) and 8080 (…)"
std::string port_words(const network::Blocked& blocked) {
  std::vector<std::string> ports;
  for (const auto& [port, of] : blocked.ports) ports.push_back(fmt::format("{} ({})", port, of));
  return fmt::format("{} {}", ports.size() == 1 ? "port" : "ports", fmt::join(ports, " and "));
}

Finding fault_of(const network::Blocked& blocked, const Workload& workload) {
  const bool in = blocked.direction == network::Direction::ingress;
  const bool one = blocked.policies.size() == 1;
  const bool printed = in && !workload.networks.empty();
  return {.denied = false,
          .id = ids::of_explain("network-policy"),
          .sentence = fmt::format(
              "{} {} its Pods {} on {}: if the cluster enforces NetworkPolicies, the slice never "
              "forms",
              policy_words(blocked, workload.ns), one ? "lets" : "let",
              in ? "receive nothing from each other" : "send nothing to each other",
              port_words(blocked)),
          .fix = fixes::Choice{fmt::format(
              "admit {} between these Pods{}", blocked.ports.size() == 1 ? "it" : "them",
              printed ? "; the NetworkPolicy that -o network-policy prints does so" : "")}};
}

}  // namespace

std::vector<network::Policy> network_policies(std::span<const source::Manifest> manifests,
                                              const std::string& ns) {
  std::vector<network::Policy> out;
  for (const source::Manifest& each : manifests)
    if (text::text_member(each.object, "kind") == "NetworkPolicy" &&
        text::text_member(each.object, "apiVersion").starts_with(network_group))
      out.emplace_back(each.object, ns);
  return out;
}

std::vector<Finding> network_faults(const network::Networks& networks, const Workload& workload) {
  std::vector<Finding> out;
  for (const network::Blocked& each : networks.blocked()) out.push_back(fault_of(each, workload));
  return out;
}

}  // namespace tpuwh::server::explain
