#include "kubectl/inspect/slices/pool_trouble.hpp"

#include "base/counted.hpp"
#include "webhook/pools/fit.hpp"
#include "webhook/reasons/node_trouble.hpp"

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
                 .chips_per_host = member.by_claim ? 0 : member.chips,
                 .slice_key = {}} {
    for (const SeenToleration& each : member.tolerations)
      pod.tolerations.push_back({each.key, each.op, each.value, each.effect});
  }
  Asked(const Asked&) = delete;
  Asked& operator=(const Asked&) = delete;
};

struct Trouble {
  std::string what;  // "" where the node can hold a member
  bool passes = false;
  bool of_slice = false;  // a member of another multi-host slice has it
};

// What a node's own life brings along: it starts, is upgraded, repaired, deleted or made again.
bool passes(const Node& node, const PoolQuestion& question) {
  switch (webhook::pools::unusable(node, question)) {
    case webhook::pools::Unusable::not_ready:
    case webhook::pools::Unusable::cordoned:
    case webhook::pools::Unusable::to_be_deleted:
      return true;
    case webhook::pools::Unusable::few_chips:
      return node.chips == 0;  // its device plugin has not spoken yet
    case webhook::pools::Unusable::tainted:
      return webhook::reasons::passes(
          webhook::reasons::cause_of(*webhook::reasons::untolerated(node, question)));
    case webhook::pools::Unusable::no:
      break;
  }
  return false;
}

// `own` is the slice's key.
Trouble trouble_of(const Node& node, const std::vector<const SeenPod*>& pods, std::string_view own,
                   const Asked& asked) {
  Trouble trouble{webhook::reasons::trouble_of(node, asked.question), passes(node, asked.question),
                  false};
  const auto holder =
      std::ranges::find_if(pods, [&](const SeenPod* pod) { return pod->slice_key != own; });
  if (trouble.what.empty() && holder != pods.end()) {
    trouble.what =
        fmt::format("node {} is held by Pod {}/{}", node.name, (*holder)->ns, (*holder)->name);
    trouble.of_slice = (*holder)->multi_host() && (*holder)->host && !(*holder)->placed_by_others;
  }
  return trouble;
}

}  // namespace

PoolTroubles::PoolTroubles(const Cluster& cluster) {
  std::map<std::string_view, std::vector<const SeenPod*>> on;
  for (const SeenPod& pod : cluster.pods)
    if (pod.staying() && !pod.node.empty()) on[pod.node].push_back(&pod);
  for (const auto& [name, node] : cluster.nodes)
    if (!node.pool().empty()) pools_[node.pool()].push_back({&node, std::move(on[name])});
}

PoolTrouble PoolTroubles::of(const SliceReport& slice) const {
  const bool begun = slice.multi_host() && slice.pools.size() == 1 && slice.unknown_nodes == 0;
  const auto bound = static_cast<std::uint32_t>(slice.staying.size()) - slice.unbound;
  if (!begun || slice.staying.empty() || bound >= slice.hosts) return {};
  if (!slice.places_known()) return {};
  const SeenPod& member = *slice.staying.front();
  if (member.placed_by_others) return {};
  const Asked asked(member);
  const std::vector<Place>& nodes = pools_.at(slice.pools.front());
  PoolTrouble out;
  out.crowded = nodes.size() >= slice.hosts;
  std::uint32_t usable = 0, in_time = 0;
  for (const auto& [node, pods] : nodes) {
    if (std::ranges::find(pods, member.slice_key, &SeenPod::slice_key) != pods.end()) continue;
    Trouble trouble = trouble_of(*node, pods, member.slice_key, asked);
    usable += trouble.what.empty() ? 1 : 0;
    in_time += trouble.what.empty() || trouble.passes ? 1 : 0;
    out.crowded = out.crowded && (trouble.what.empty() || trouble.of_slice);
    if (!trouble.what.empty()) out.what.push_back(std::move(trouble.what));
  }
  const std::uint32_t wanted = slice.hosts - bound;
  if (usable >= wanted) return {};
  if (nodes.size() < slice.hosts) {
    out.what.push_back(
        fmt::format("the pool has {} of {}", nodes.size(), base::counted(slice.hosts, "node")));
    in_time += slice.hosts - static_cast<std::uint32_t>(nodes.size());
  }
  out.may_pass = in_time >= wanted;
  return out;
}

}  // namespace tpuwh::server::slices
