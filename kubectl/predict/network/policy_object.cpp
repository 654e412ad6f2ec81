#include "kubectl/predict/network/policy_object.hpp"

#include <nlohmann/json.hpp>

namespace tpuwh::server::network {

namespace {

Json selector(const Labels& labels) {
  Json out;
  out["matchLabels"] = labels;
  return out;
}

}  // namespace

Json policy_object(const Network& network) {
  Json peer, rule;
  peer["podSelector"] = selector(network.from);
  rule["from"] = Json::array({peer});
  if (!network.all_ports) {
    rule["ports"] = Json::array();
    for (const auto& [port, use] : network.open.ports)
      rule["ports"].push_back({{"protocol", "TCP"}, {"port", port}});
  }
  return {{"apiVersion", "networking.k8s.io/v1"},
          {"kind", "NetworkPolicy"},
          {"metadata", {{"name", network.name}, {"namespace", network.ns}}},
          {"spec",
           {{"podSelector", selector(network.selected)},
            {"policyTypes", Json::array({"Ingress"})},
            {"ingress", Json::array({rule})}}}};
}

}  // namespace tpuwh::server::network
