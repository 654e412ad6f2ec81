#include "kubectl/inspect/slices/slice_report.hpp"

#include "base/names.hpp"
#include "kubectl/inspect/slices/places.hpp"
#include "kubectl/inspect/slices/pool_trouble.hpp"
#include "kubectl/inspect/slices/standing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>

namespace tpuwh::server::slices {

namespace {

using webhook::read::Variable;

using Pods = std::vector<const SeenPod*>;

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

// The Pod that says what the slice is to be: of those that stay, or of all where none does, the
// one that was made last.
const SeenPod& model_of(const Pods& pods) {
  return **std::ranges::max_element(pods, {}, [](const SeenPod* pod) {
    return std::tuple(pod->staying(), pod->created.value_or(Time::min()));
  });
}

// Pods of nobody go by the name of their first.
void fill_name(SliceReport& slice) {
  for (const Pods* each : {&slice.members, &slice.ended})
    if (slice.kind == "Pod" && !each->empty()) {
      slice.group = each->front()->group;
      return;
    }
}

void fill_places(SliceReport& slice) {
  std::map<std::uint32_t, std::uint32_t> holders;
  for (const SeenPod* pod : slice.members)
    if (pod->host && ++holders[*pod->host] == 2) slice.duplicates.push_back(*pod->host);
  std::ranges::sort(slice.duplicates);
  for (const SeenPod* pod : slice.ended)
    if (pod->host && pod->life == Life::succeeded) ++holders[*pod->host];
  // Of Pods whose place is not known any may have any.
  const auto placed = [](const SeenPod* pod) { return pod->host.has_value(); };
  if (!std::ranges::all_of(slice.members, placed)) return;
  for (std::uint32_t host = 0; host < slice.hosts; ++host)
    if (!holders.contains(host)) slice.missing.push_back(host);
  std::map<std::uint32_t, const SeenPod*> last;  // that failed, of each missing host
  for (const SeenPod* pod : slice.ended) {
    if (pod->life != Life::failed || !pod->host) continue;
    if (!std::ranges::binary_search(slice.missing, *pod->host)) continue;
    const auto [found, fresh] = last.try_emplace(*pod->host, pod);
    if (!fresh && found->second->created < pod->created) found->second = pod;
  }
  for (const auto& [host, pod] : last) slice.failed.push_back(pod);
}

void fill_worker_ids(SliceReport& slice) {
  for (const SeenPod* pod : slice.staying) {
    for (const TpuProcess& process : pod->processes) {
      const EnvValue& id = process[Variable::tpu_worker_id];
      if (id.kind == EnvValue::Kind::unknown) slice.worker_ids_known = false;
      const auto number = id.literal() ? base::plain_decimal(id.text) : std::nullopt;
      if (number) slice.worker_ids[*number].push_back(pod);
    }
  }
  for (const auto& [id, pods] : slice.worker_ids)
    if (pods.size() > 1) slice.duplicate_ids.push_back(id);
}

void fill_pools(const Cluster& cluster, SliceReport& slice) {
  std::set<std::string_view> pools;
  for (const SeenPod* pod : slice.staying.empty() ? slice.members : slice.staying) {
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

bool rolls_over(const SliceReport& slice) {
  return std::ranges::any_of(slice.staying, [&](const SeenPod* pod) {
    return pod->revision != slice.staying.front()->revision;
  });
}

// Whether a member has waited for longer than a repair takes, or its node is lost for so long.
bool waits_long(const SliceReport& slice, const Cluster& cluster) {
  return std::ranges::any_of(slice.members, [&](const SeenPod* pod) {
    if (how_it_stands(cluster, *pod).for_good) return true;
    return pod->node.empty() && pod->created && cluster.now &&
           *cluster.now - *pod->created > time_to_repair;
  });
}

// By what the Pods are, wherever they stand.
bool cannot_form(const Cluster& cluster, const SliceReport& slice) {
  if (!slice.duplicates.empty() || !slice.duplicate_ids.empty()) return true;
  const auto nobody = [](const SeenPod* pod) { return pod->multi_host() && !pod->host; };
  const auto gone = [&](const SeenPod* pod) { return stays_failed(cluster, *pod); };
  return std::ranges::any_of(slice.staying, nobody) || std::ranges::any_of(slice.failed, gone);
}

Phase phase_of(const Cluster& cluster, const SliceReport& slice) {
  if (slice.members.empty()) return Phase::ended;
  std::map<Standing, std::size_t> standing;
  for (const SeenPod* pod : slice.members) ++standing[how_it_stands(cluster, *pod).standing];
  if (standing.contains(Standing::lost) || cannot_form(cluster, slice)) return Phase::broken;
  if (standing.contains(Standing::starts) || !slice.missing.empty()) return Phase::forming;
  return standing.contains(Standing::runs) ? Phase::running : Phase::ended;
}

auto order(const SeenPod& pod) {
  return std::tie(pod.ns, pod.kind, pod.group, pod.part, pod.slice, pod.slice_key, pod.name);
}

SliceReport report(const Cluster& cluster, const PoolTroubles& troubles, const Pods& pods) {
  SliceReport slice = begin_report(model_of(pods));
  Pods living;
  for (const SeenPod* pod : pods) (pod->live() ? living : slice.ended).push_back(pod);
  sort_by_host(slice.ended);
  deal_places(living, slice);
  fill_name(slice);
  slice.rolls_over = rolls_over(slice);
  fill_places(slice);
  fill_worker_ids(slice);
  fill_pools(cluster, slice);
  slice.pool = troubles.of(slice);
  slice.pool.may_pass = slice.pool.may_pass && !waits_long(slice, cluster);
  slice.phase = phase_of(cluster, slice);
  return slice;
}

// What a person takes for the same slice: a workload that was deleted and made again has another
// uid, and so another key.
auto name_of(const SeenPod& pod) {
  return std::tie(pod.ns, pod.kind, pod.group, pod.part, pod.slice);
}

bool stays(const Pods& pods) {
  return std::ranges::any_of(pods, &SeenPod::staying);
}

// Pods of a slice's last life go with those of this one, so that it is told once.
void join_with_successors(std::vector<Pods>& groups) {
  using Name = decltype(name_of(std::declval<const SeenPod&>()));
  std::map<Name, Pods*> successors;
  for (Pods& group : groups)
    if (group.front()->multi_host() && stays(group)) successors[name_of(*group.front())] = &group;
  for (Pods& group : groups) {
    if (!group.front()->multi_host() || stays(group)) continue;
    const auto found = successors.find(name_of(*group.front()));
    if (found == successors.end()) continue;
    found->second->insert(found->second->end(), group.begin(), group.end());
    group.clear();
  }
  std::erase_if(groups, [](const Pods& group) { return group.empty(); });
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

bool SliceReport::places_known() const {
  return std::ranges::all_of(staying, [](const SeenPod* pod) { return pod->host.has_value(); });
}

std::string SliceReport::full_name() const {
  std::string out = fmt::format("{} {}/{}", kind, ns, group);
  if (!part.empty()) out += "/" + part;
  if (slice) out += fmt::format(", slice {}", *slice);
  if (slice && slices > 0) out += fmt::format(" of {}", slices);
  return out;
}

std::vector<SliceReport> report_slices(const Cluster& cluster) {
  Pods pods;
  for (const SeenPod& pod : cluster.pods) pods.push_back(&pod);
  std::ranges::sort(pods, [](const SeenPod* a, const SeenPod* b) { return order(*a) < order(*b); });
  std::vector<Pods> groups;
  std::map<std::string_view, std::size_t> by_key;
  for (const SeenPod* pod : pods) {
    const auto [found, fresh] = by_key.try_emplace(pod->slice_key, groups.size());
    if (fresh) groups.emplace_back();
    groups[found->second].push_back(pod);
  }
  join_with_successors(groups);
  const PoolTroubles troubles(cluster);
  std::vector<SliceReport> out;
  for (const Pods& group : groups) out.push_back(report(cluster, troubles, group));
  return out;
}

}  // namespace tpuwh::server::slices
