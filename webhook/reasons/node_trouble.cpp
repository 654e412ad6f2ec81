#include "webhook/reasons/node_trouble.hpp"

#include "base/counted.hpp"
#include "base/names.hpp"
#include "webhook/pools/fit.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace tpuwh::webhook::reasons {

using pools::Node;
using pools::Taint;
using pools::Unusable;

TaintCause cause_of(const Taint& taint) {
  constexpr std::array<std::string_view, 4> kinds = {read::key::spot, read::key::flex_start,
                                                     "cloud.google.com/gke-preemptible",
                                                     "cloud.google.com/gke-queued"};
  if (std::ranges::find(kinds, taint.key) != kinds.end()) return TaintCause::kind_of_node;
  if (taint.key == read::key::compute_class) return TaintCause::compute_class;
  if (taint.key == "node.cloudprovider.kubernetes.io/uninitialized") return TaintCause::setup;
  if (taint.key == "cloud.google.com/impending-node-termination") return TaintCause::maintenance;
  return taint.key.starts_with("node.kubernetes.io/") ? TaintCause::condition : TaintCause::unknown;
}

bool passes(TaintCause cause) {
  return cause == TaintCause::setup || cause == TaintCause::maintenance ||
         cause == TaintCause::condition;
}

const Taint* untolerated(const Node& node, const read::PoolQuestion& question) {
  const auto found = std::ranges::find_if(node.taints, [&](const Taint& taint) {
    return !pools::tolerates(question.pod.tolerations, taint);
  });
  return found == node.taints.end() ? nullptr : &*found;
}

std::string trouble_of(const Node& node, const read::PoolQuestion& question) {
  const std::string name = "node " + base::printable(node.name, 253);
  switch (pools::unusable(node, question)) {
    case Unusable::not_ready:
      return name + " is not ready";
    case Unusable::cordoned:
      return name + " is cordoned";
    case Unusable::to_be_deleted:
      return name + " is about to be deleted by Cluster Autoscaler";
    case Unusable::tainted:
      return name + " has taint " + base::printable(untolerated(node, question)->key, 253) +
             ", which the Pods do not tolerate";
    case Unusable::few_chips:
      return name + " has " + base::counted(node.chips, "chip") + ", a Pod needs " +
             std::to_string(question.chips_per_host);
    case Unusable::no:
      break;
  }
  return {};
}

}  // namespace tpuwh::webhook::reasons
