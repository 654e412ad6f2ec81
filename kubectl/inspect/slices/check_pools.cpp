// A multi-host slice stands on one node pool, alone.
#include "base/counted.hpp"
#include "kubectl/inspect/slices/audit.hpp"
#include "kubectl/inspect/slices/recreate.hpp"
#include "kubectl/inspect/slices/standing.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

namespace tpuwh::server::slices {

namespace {

// Sub-slices and dynamic slices have domains of their own.
bool belongs_on_one_pool(const SliceReport& slice) {
  if (!slice.multi_host() || slice.staying.empty()) return false;
  // Of Pods of which nothing says which host they are, only a slice's number is one slice.
  if (!slice.places_known() && slice.staying.size() != slice.hosts) return false;
  return !slice.staying.front()->placed_by_others;
}

void find_split(const SliceReport& slice, Findings& findings) {
  if (slice.pools.size() < 2) return;
  std::map<std::string_view, std::uint32_t> on;
  for (const SeenPod* pod : slice.staying)
    if (const auto* node = findings.cluster().node_of(*pod); node && !node->pool().empty())
      ++on[node->pool()];
  std::vector<std::string> counts;
  for (const auto& [pool, number] : on) counts.push_back(fmt::format("{} on {}", number, pool));
  findings.error(
      "split-pools", slice, slice.staying,
      fmt::format("members are on {} node pools ({}); expected all {} on one, since chips of two "
                  "pools are not joined by ICI",
                  slice.pools.size(), fmt::join(counts, ", "), base::counted(slice.hosts, "host")),
      replace_hint(slice, "which keeps a slice on one pool"));
}

// By pool, the slices that have staying members there.
using Tenants = std::map<std::string_view, std::vector<const SliceReport*>>;

Tenants tenants_of(const std::vector<SliceReport>& slices, const Cluster& cluster) {
  Tenants out;
  for (const SliceReport& slice : slices) {
    if (!belongs_on_one_pool(slice)) continue;
    for (const SeenPod* pod : slice.staying) {
      const auto* node = cluster.node_of(*pod);
      if (node == nullptr || node->pool().empty()) continue;
      auto& tenants = out[node->pool()];
      if (tenants.empty() || tenants.back() != &slice) tenants.push_back(&slice);
    }
  }
  return out;
}

// The pools that have the same slices, by these.
using Crowds = std::map<std::vector<const SliceReport*>, std::vector<std::string_view>>;

Crowds crowds_of(const Tenants& tenants) {
  Crowds out;
  for (const auto& [pool, slices] : tenants)
    if (slices.size() > 1) out[slices].push_back(pool);
  return out;
}

bool stands_on(const SeenPod& pod, const std::vector<std::string_view>& pools,
               const Cluster& cluster) {
  const auto* node = cluster.node_of(pod);
  return node != nullptr && std::ranges::find(pools, node->pool()) != pools.end();
}

// "node pool a holds", "node pools a and b hold"
std::string pools_hold(const std::vector<std::string_view>& pools) {
  std::string out = pools.size() == 1 ? "node pool " : "node pools ";
  for (std::size_t i = 0; i < pools.size(); ++i)
    out.append(i == 0 ? "" : i + 1 == pools.size() ? " and " : ", ").append(pools[i]);
  return out + (pools.size() == 1 ? " holds" : " each hold");
}

// All but one of them have to go: of one workload all go together. Else the one is told that has
// come last and does not run.
std::string part_hint(const std::vector<const SliceReport*>& slices) {
  const SliceReport& first = *slices.front();
  const bool together = std::ranges::all_of(slices, [&](const SliceReport* each) {
    return each->ns == first.ns && each->kind == first.kind && each->group == first.group;
  });
  if (together) return replace_hint(first, "which keeps slices apart");
  const SliceReport& last = **std::ranges::max_element(slices, {}, [](const SliceReport* each) {
    const auto made = each->staying.front()->created;
    return std::pair(each->phase != Phase::running, made.value_or(Time::min()));
  });
  return (slices.size() == 2 ? "one of the two is enough: "
                             : "all but one of them, beginning here: ") +
         replace_hint(last, "which keeps slices apart");
}

void find_shared(const Tenants& tenants, Findings& findings) {
  for (const auto& [slices, pools] : crowds_of(tenants)) {
    std::vector<const SeenPod*> pods;
    for (const SliceReport* each : slices)
      for (const SeenPod* pod : each->staying)
        if (stands_on(*pod, pools, findings.cluster())) pods.push_back(pod);
    findings.error("shared-pool", *slices.front(), pods,
                   fmt::format("{} members of {} multi-host slices ({}); expected one slice per "
                               "pool, else neither can form",
                               pools_hold(pools), slices.size(), first_of(slices)),
                   part_hint(slices));
    findings.also_of({slices.begin() + 1, slices.end()});
  }
}

// Nothing is evicted by itself: it waits for the nodes with the chips that it holds.
void find_unfit(const SliceReport& slice, Findings& findings) {
  if (slice.pool.what.empty()) return;
  if (slice.pool.crowded) return;  // which is told of the pool
  const std::string& pool = slice.pools.front();
  const std::string what = fmt::format(
      "it has started on node pool {}, which cannot hold it: {}; {} of {} are bound and wait for "
      "the rest",
      pool, fmt::join(slice.pool.what, ", "), slice.staying.size() - slice.unbound,
      base::counted(slice.hosts, "host"));
  // Whose Pod is still to be deleted from a node that is lost begins nowhere before.
  const bool hangs = std::ranges::any_of(slice.members, [&](const SeenPod* pod) {
    return pod->terminating && how_it_stands(findings.cluster(), *pod).standing == Standing::lost;
  });
  const std::string fix =
      hangs ? "repair or delete the node"
            : "repair the pool; or, to start it again on another, " + restart_hint(slice);
  if (slice.pool.may_pass)
    findings.warn(
        "unfit-pool", slice, {}, what,
        "no action while the pool's nodes are being repaired, upgraded or created; otherwise " +
            fix);
  else
    findings.error("unfit-pool", slice, {}, what, fix);
}

// Members whose node fulfils `test`.
template <class Test>
std::vector<const SeenPod*> on_nodes(const SliceReport& slice, const Cluster& cluster,
                                     const Test& test) {
  std::vector<const SeenPod*> out;
  for (const SeenPod* pod : slice.staying) {
    const auto* node = cluster.node_of(*pod);
    const bool asked = pod->multi_host() || !pod->shares_node.empty();
    if (node != nullptr && asked && !pod->by_claim && test(*node, *pod)) out.push_back(pod);
  }
  return out;
}

// A Pod that does not ask for all chips of its node, whichever slice it may be of.
void find_other_chips(const SliceReport& slice, Findings& findings) {
  const Cluster& cluster = findings.cluster();
  const auto wrong = on_nodes(slice, cluster, [](const auto& node, const SeenPod& pod) {
    const std::uint32_t chips = chips_of(node);
    return chips != 0 && chips != pod.chips;
  });
  if (wrong.empty()) return;
  const SeenPod& first = *wrong.front();
  findings.error(
      "chips-per-node", slice, wrong,
      fmt::format(
          "node {} has {}, but Pod {} on it asks for {}; expected a Pod {} to take its whole node",
          first.node, base::counted(chips_of(*cluster.node_of(first)), "chip"), first.name,
          first.chips, slice.multi_host() ? "of a multi-host slice" : "with TPUs"),
      first.shares_node.empty() || first.has_smaller_nodes
          ? fmt::format("ask for all chips of a node, or select nodes with "
                        "cloud.google.com/gke-accelerator-count: \"{}\"",
                        first.chips)
          : "ask for all chips of a node");
}

// A node that has all its chips no more.
void find_ill_chips(const SliceReport& slice, Findings& findings) {
  const Cluster& cluster = findings.cluster();
  const auto ill = on_nodes(slice, cluster, [](const auto& node, const SeenPod& pod) {
    return chips_of(node) == pod.chips && node.chips < pod.chips;
  });
  if (ill.empty()) return;
  const SeenPod& first = *ill.front();
  findings.warn("chips-per-node", slice, ill,
                fmt::format("{} of {} of node {} can be allocated, and Pod {} on it asks for {}",
                            cluster.node_of(first)->chips, base::counted(first.chips, "chip"),
                            first.node, first.name, first.chips),
                "no action while the node is being repaired; otherwise repair or delete it");
}

}  // namespace

void check_pools(const std::vector<SliceReport>& slices, Findings& findings) {
  const bool wanted = std::ranges::any_of(slices, belongs_on_one_pool);
  if (wanted && !findings.cluster().knows_nodes()) {
    findings.not_known("no Node is in the snapshot, so node pools were not compared");
    return;
  }
  for (const SliceReport& slice : slices) {
    find_other_chips(slice, findings);
    find_ill_chips(slice, findings);
    if (!belongs_on_one_pool(slice)) continue;
    find_split(slice, findings);
    find_unfit(slice, findings);
    if (slice.unknown_nodes > 0)
      findings.not_known(
          fmt::format("{}: the nodes of {} are not in the snapshot, so their pools "
                      "are not known",
                      slice.full_name(), base::counted(slice.unknown_nodes, "Pod")));
  }
  findings.fold("split-pools");
  find_shared(tenants_of(slices, findings.cluster()), findings);
}

}  // namespace tpuwh::server::slices
