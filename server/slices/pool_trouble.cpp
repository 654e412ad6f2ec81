#include "server/slices/pool_trouble.hpp"

#include "topology/counted.hpp"
#include "webhook/pools/trouble.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace tpuwh::server::slices {

namespace {

using webhook::pools::Node;
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

// "" where the node can hold a member. `own` is the slice's key.
std::string trouble_of(const Node& node, const std::vector<const SeenPod*>& pods,
                       std::string_view own, const Asked& asked) {
  std::string trouble = webhook::pools::trouble_of(node, asked.question);
  const auto holder = std::ranges::find_if(
      pods, [&](const SeenPod* pod) { return pod->staying() && pod->slice_key != own; });
  if (trouble.empty() && holder != pods.end())
    trouble =
        fmt::format("node {} is held by Pod {}/{}", node.name, (*holder)->ns, (*holder)->name);
  return trouble;
}

}  // namespace

PoolTroubles::PoolTroubles(const Cluster& cluster) {
  std::map<std::string_view, std::vector<const SeenPod*>> on;
  for (const SeenPod& pod : cluster.pods)
    if (pod.live() && !pod.node.empty()) on[pod.node].push_back(&pod);
  for (const auto& [name, node] : cluster.nodes)
    if (!node.pool().empty()) pools_[node.pool()].push_back({&node, std::move(on[name])});
}

std::vector<std::string> PoolTroubles::of(const SliceReport& slice) const {
  const bool begun = slice.multi_host() && slice.pools.size() == 1 && slice.unknown_nodes == 0;
  const auto bound = static_cast<std::uint32_t>(slice.members.size()) - slice.unbound;
  if (!begun || bound >= slice.hosts || slice.members.front()->placed_by_others) return {};
  const SeenPod& member = *slice.members.front();
  const Asked asked(member);
  const std::vector<Place>& nodes = pools_.at(slice.pools.front());
  std::vector<std::string> troubles;
  std::uint32_t usable = 0;
  for (const auto& [node, pods] : nodes) {
    if (std::ranges::find(pods, member.slice_key, &SeenPod::slice_key) != pods.end()) continue;
    std::string trouble = trouble_of(*node, pods, member.slice_key, asked);
    if (trouble.empty())
      ++usable;
    else
      troubles.push_back(std::move(trouble));
  }
  if (usable >= slice.hosts - bound) return {};
  if (nodes.size() < slice.hosts)
    troubles.push_back(
        fmt::format("the pool has {} of {}", nodes.size(), topology::counted(slice.hosts, "node")));
  return troubles;
}

}  // namespace tpuwh::server::slices
