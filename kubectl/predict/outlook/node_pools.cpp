#include "kubectl/predict/outlook/node_pools.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tpuwh::server::outlook {

namespace {

using webhook::pools::Node;
using webhook::pools::Stand;

// A slice of several hosts wants its pool for itself.
Bar bar_of(const PoolView& view, std::uint32_t hosts) {
  const bool shared =
      std::ranges::any_of(view.others, [](const Tenant* tenant) { return tenant->hosts > 1; });
  const bool alone = hosts == 1 || !shared;
  if (view.usable >= hosts && alone) return Bar::none;
  if (view.nodes < hosts) return Bar::too_small;
  if (!view.others.empty()) return Bar::held;
  if (!view.unusable_nodes.empty()) return Bar::unusable;
  return Bar::before;
}

}  // namespace

template <class Made>
bool NodePools::is_own(const Made& made) const {
  if (slices::includes(made.owners, workload_.kind, workload_.ns, workload_.name)) return true;
  const bool named = made.group == workload_.name ||
                     std::ranges::find(workload_.with, made.group) != workload_.with.end();
  return made.kind == workload_.kind && made.ns == workload_.ns && named;
}

bool NodePools::stays(const Tenant& tenant) const {
  return is_own(tenant) && !tenant.leaving;
}

const std::vector<Tenant>& NodePools::tenants_of(const Node& node) const {
  static const std::vector<Tenant> nobody;
  const auto found = cluster_.tenants.find(node.name);
  return found == cluster_.tenants.end() ? nobody : found->second;
}

bool NodePools::has_begun() const {
  for (const auto& [node, tenants] : cluster_.tenants)
    if (std::ranges::any_of(tenants, [&](const Tenant& each) { return is_own(each); })) return true;
  return false;
}

std::vector<const StandingSlice*> NodePools::standing() const {
  std::vector<const StandingSlice*> out;
  for (const StandingSlice& slice : cluster_.slices)
    if (is_own(slice)) out.push_back(&slice);
  return out;
}

void NodePools::keep(const StandingSlice& slice, const Member& member) {
  for (const std::string& pool : slice.pools)
    taken_.pools[pool] =
        fmt::format("{} {}/{}{}{}", workload_.kind, workload_.ns, workload_.name,
                    member.slice().title.empty() ? "" : ", ", member.slice().title);
}

// Beside others and the slices before: what the workload itself holds is there for it.
bool NodePools::has_room(const Node& node, const Member& member) const {
  std::uint64_t chips = member.slice().chips_per_host;
  for (const Tenant& tenant : tenants_of(node))
    if (!stays(tenant)) chips += tenant.chips;
  if (const auto before = taken_.chips.find(node.name); before != taken_.chips.end())
    chips += before->second;
  // Of chips by claim a node shows no number: it is free, or it is not.
  if (member.slice().by_claim) return chips == member.slice().chips_per_host;
  return chips <= node.chips;
}

void NodePools::judge_node(const SeenHost& host, const Member& member, PoolView& view) const {
  const Node& node = *host.node;
  if (host.stand == Stand::not_selected) return;
  ++view.nodes;
  const auto& tenants = tenants_of(node);
  // Who stands there is asked nothing more: a cordon, for one, sends nobody away.
  if (std::ranges::none_of(tenants, [&](const Tenant& each) { return stays(each); })) {
    bool own = false;
    for (const Tenant& each : tenants) {
      own = own || is_own(each);
      view.others.push_back(&each);
    }
    if (host.stand == Stand::unusable) return view.unusable_nodes.push_back(&node);
    if ((host.stand == Stand::held && !own) || !has_room(node, member)) return;
  }
  ++view.usable;
  if (view.node.empty()) view.node = node.name;
}

PoolView NodePools::view(const SeenPool& pool, const Member& member) const {
  PoolView view;
  view.name = pool.name;
  for (const SeenHost& host : pool.hosts) judge_node(host, member, view);
  if (view.nodes == 0)
    view.bar = Bar::not_selected;
  else if (taken_.pools.contains(pool.name))
    view.bar = Bar::before;
  else
    view.bar = bar_of(view, member.slice().hosts);
  return view;
}

std::vector<PoolView> NodePools::views(const Member& member) const {
  std::vector<PoolView> out;
  for (const SeenPool& pool : pools_of(cluster_.pools, member.question()))
    out.push_back(view(pool, member));
  return out;
}

std::string NodePools::take(const PoolView& view, const Member& member) {
  const WantedSlice& slice = member.slice();
  if (slice.hosts == 1)
    taken_.chips[std::string(view.node)] += slice.chips_per_host;
  else
    taken_.pools[std::string(view.name)] =
        fmt::format("{} {}/{}{}{}", workload_.kind, workload_.ns, workload_.name,
                    slice.title.empty() ? "" : ", ", slice.title);
  return std::string(view.name);
}

bool NodePools::is_on(const SeenPool& pool) const {
  return std::ranges::any_of(pool.hosts, [&](const SeenHost& host) {
    return std::ranges::any_of(tenants_of(*host.node),
                               [&](const Tenant& each) { return is_own(each); });
  });
}

Candidates NodePools::candidates(const Member& member) const {
  Candidates out{pools_of(cluster_.pools, member.question())};
  std::ranges::stable_partition(out.pools, [&](const SeenPool& pool) { return is_on(pool); });
  return out;
}

// Of a pool with nodes for several slices of one host the next one may take another node.
std::string NodePools::place(const Member& member, Candidates& candidates) {
  for (; candidates.next < candidates.pools.size(); ++candidates.next)
    if (const PoolView found = view(candidates.pools[candidates.next], member);
        found.bar == Bar::none)
      return take(found, member);
  return {};
}

}  // namespace tpuwh::server::outlook
