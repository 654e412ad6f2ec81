#include "server/slices/slice_report.hpp"

#include "server/slices/pool_trouble.hpp"
#include "webhook/text/names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>

namespace tpuwh::server::slices {

namespace {

using webhook::read::Variable;

SliceReport begin_report(const SeenPod& pod) {
  SliceReport out;
  out.ns = pod.ns;
  out.kind = pod.kind;
  out.group = pod.group;
  out.part = pod.part;
  out.job_key = pod.job_key;
  out.slice = pod.slice;
  out.slices = pod.slice_count;
  out.accelerator = pod.accelerator;
  out.topology = pod.topology;
  out.hosts = pod.hosts;
  out.processes = pod.slice_processes();
  return out;
}

// Terminating Pods hold their place until another has it: while a controller replaces Pods, that is
// neither a gap nor a duplicate.
void fill_places(SliceReport& slice) {
  std::map<std::uint32_t, std::uint32_t> staying;
  std::set<std::uint32_t> held;
  for (const SeenPod* pod : slice.members) {
    if (!pod->host) continue;
    held.insert(*pod->host);
    if (pod->staying() && ++staying[*pod->host] == 2) slice.duplicates.push_back(*pod->host);
  }
  std::ranges::sort(slice.duplicates);
  for (const SeenPod* pod : slice.ended)
    if (pod->host && pod->life == Life::succeeded) held.insert(*pod->host);
  for (std::uint32_t host = 0; host < slice.hosts; ++host)
    if (!held.contains(host)) slice.missing.push_back(host);
}

void fill_worker_ids(SliceReport& slice) {
  for (const SeenPod* pod : slice.members) {
    if (!pod->staying()) continue;
    for (const TpuProcess& process : pod->processes) {
      const EnvValue& id = process[Variable::tpu_worker_id];
      if (id.kind == EnvValue::Kind::unknown) slice.worker_ids_known = false;
      const auto number = id.literal() ? webhook::text::plain_decimal(id.text) : std::nullopt;
      if (number) slice.worker_ids[*number].push_back(pod);
    }
  }
  for (const auto& [id, pods] : slice.worker_ids)
    if (pods.size() > 1) slice.duplicate_ids.push_back(id);
}

void fill_pools(const Cluster& cluster, SliceReport& slice) {
  std::set<std::string_view> pools;
  for (const SeenPod* pod : slice.members) {
    const auto* node = cluster.node_of(*pod);
    if (pod->node.empty())
      ++slice.unbound;
    else if (node == nullptr)
      ++slice.unknown_nodes;
    else if (!node->pool().empty())
      pools.insert(node->pool());
  }
  slice.pools.assign(pools.begin(), pools.end());
}

bool is_broken(const SliceReport& slice) {
  if (!slice.duplicates.empty() || !slice.duplicate_ids.empty()) return true;
  const auto nobody = [](const SeenPod* pod) { return pod->multi_host() && !pod->host; };
  if (std::ranges::any_of(slice.members, nobody)) return true;
  return std::ranges::any_of(slice.ended, [&](const SeenPod* pod) {
    return pod->life == Life::failed && pod->host &&
           std::ranges::binary_search(slice.missing, *pod->host);
  });
}

Phase phase_of(const SliceReport& slice) {
  if (slice.members.empty()) return Phase::ended;
  if (is_broken(slice)) return Phase::broken;
  const auto runs = [](const SeenPod* pod) { return pod->life == Life::running; };
  const bool all_run = std::ranges::all_of(slice.members, runs);
  return all_run && slice.missing.empty() ? Phase::running : Phase::forming;
}

auto order(const SeenPod& pod) {
  return std::tie(pod.ns, pod.kind, pod.group, pod.part, pod.slice, pod.slice_key, pod.name);
}

void finish(const Cluster& cluster, const PoolTroubles& troubles, SliceReport& slice) {
  const auto by_host = [](const SeenPod* pod) { return pod->host.value_or(UINT32_MAX); };
  std::ranges::stable_sort(slice.members, {}, by_host);
  std::ranges::stable_sort(slice.ended, {}, by_host);
  fill_places(slice);
  fill_worker_ids(slice);
  fill_pools(cluster, slice);
  slice.pool_troubles = troubles.of(slice);
  slice.phase = phase_of(slice);
}

}  // namespace

std::string_view name(Phase phase) {
  switch (phase) {
    case Phase::running:
      return "running";
    case Phase::forming:
      return "forming";
    case Phase::broken:
      return "broken";
    case Phase::ended:
      break;
  }
  return "ended";
}

std::string SliceReport::full_name() const {
  std::string out = fmt::format("{} {}/{}", kind, ns, group);
  if (!part.empty()) out += "/" + part;
  if (slice) out += fmt::format(", slice {}", *slice);
  if (slice && slices > 0) out += fmt::format(" of {}", slices);
  return out;
}

std::vector<SliceReport> report_slices(const Cluster& cluster) {
  std::vector<const SeenPod*> pods;
  for (const SeenPod& pod : cluster.pods) pods.push_back(&pod);
  std::ranges::sort(pods, [](const SeenPod* a, const SeenPod* b) { return order(*a) < order(*b); });
  std::vector<SliceReport> out;
  std::map<std::string_view, std::size_t> by_key;
  for (const SeenPod* pod : pods) {
    const auto [found, fresh] = by_key.try_emplace(pod->slice_key, out.size());
    if (fresh) out.push_back(begin_report(*pod));
    SliceReport& slice = out[found->second];
    (pod->live() ? slice.members : slice.ended).push_back(pod);
  }
  const PoolTroubles troubles(cluster);
  for (SliceReport& slice : out) finish(cluster, troubles, slice);
  return out;
}

}  // namespace tpuwh::server::slices
