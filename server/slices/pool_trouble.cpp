#include "server/slices/pool_trouble.hpp"

#include "topology/counted.hpp"
#include "webhook/pools/fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace tpuwh::server::slices {

namespace {

using webhook::pools::Unusable;
using webhook::read::PoolQuestion;

// What the scheduler asks of a node for a member of this slice.
struct Asked {
  webhook::read::Pod pod;
  PoolQuestion question;

  explicit Asked(const SeenPod& member)
      : question{.pod = pod,
                 .accelerator = member.accelerator,
                 .topology = member.topology,
                 .hosts = member.hosts,
                 .chips_per_host = member.chips,
                 .slice_key = {}} {
    for (const SeenToleration& each : member.tolerations)
      pod.tolerations.push_back({each.key, each.op, each.value, each.effect});
  }
  Asked(const Asked&) = delete;
  Asked& operator=(const Asked&) = delete;
};

std::string taint_of(const webhook::pools::Node& node, const Asked& asked) {
  for (const webhook::pools::Taint& taint : node.taints)
    if (!tolerates(asked.pod.tolerations, taint)) return taint.key;
  return {};
}

std::string of_node(const SeenNode& node, const Asked& asked) {
  const std::string& name = node.node.name;
  switch (unusable(node.node, asked.question)) {
    case Unusable::not_ready:
      return fmt::format("node {} is not ready", name);
    case Unusable::cordoned:
      return fmt::format("node {} is cordoned", name);
    case Unusable::to_be_deleted:
      return fmt::format("node {} is about to be deleted by Cluster Autoscaler", name);
    case Unusable::tainted:
      return fmt::format("node {} has taint {}, which the Pods do not tolerate", name,
                         taint_of(node.node, asked));
    case Unusable::few_chips:
      return fmt::format("node {} has {}, a Pod needs {}", name,
                         topology::counted(node.node.chips, "chip"), asked.question.chips_per_host);
    case Unusable::no:
      break;
  }
  return {};
}

// The Pod of somebody else that holds chips of a node.
const SeenPod* holder_of(const std::string& node, const SliceReport& slice,
                         const Cluster& cluster) {
  const auto found = std::ranges::find_if(cluster.pods, [&](const SeenPod& pod) {
    return pod.node == node && pod.staying() &&
           std::ranges::find(slice.members, &pod) == slice.members.end();
  });
  return found == cluster.pods.end() ? nullptr : &*found;
}

bool holds(const SliceReport& slice, const std::string& node) {
  return std::ranges::any_of(slice.members, [&](const SeenPod* pod) { return pod->node == node; });
}

}  // namespace

std::vector<std::string> pool_troubles(const SliceReport& slice, const Cluster& cluster) {
  const bool begun = slice.multi_host() && slice.pools.size() == 1 && slice.unknown_nodes == 0;
  const auto bound = static_cast<std::uint32_t>(slice.members.size()) - slice.unbound;
  if (!begun || bound >= slice.hosts || slice.members.front()->placed_by_others) return {};
  const Asked asked(*slice.members.front());
  std::vector<std::string> troubles;
  std::uint32_t nodes = 0, usable = 0;
  for (const auto& [name, node] : cluster.nodes) {
    if (node.pool != slice.pools.front()) continue;
    ++nodes;
    if (holds(slice, name)) continue;
    std::string trouble = of_node(node, asked);
    if (const SeenPod* holder = holder_of(name, slice, cluster); trouble.empty() && holder)
      trouble = fmt::format("node {} is held by Pod {}/{}", name, holder->ns, holder->name);
    if (trouble.empty())
      ++usable;
    else
      troubles.push_back(std::move(trouble));
  }
  if (usable >= slice.hosts - bound) return {};
  if (nodes < slice.hosts)
    troubles.push_back(
        fmt::format("the pool has {} of {}", nodes, topology::counted(slice.hosts, "node")));
  return troubles;
}

}  // namespace tpuwh::server::slices
