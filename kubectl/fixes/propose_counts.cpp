#include "kubectl/fixes/proposing.hpp"

#include <utility>

namespace tpuwh::server::fixes {

namespace {

void set_number(const PodTemplate& each, const Path& path, std::uint32_t number, Steps& steps) {
  if (each.number(path) != number) steps.emplace_back(set(path, number));
}

// A slice is a group, or a subgroup; a leader without chips is one Pod more.
void set_group(const PodTemplate& workers, std::uint32_t size, Steps& steps) {
  const Path subgroup = workers.holder() / "subGroupPolicy" / "subGroupSize";
  const bool parts = workers.number(subgroup).has_value();
  set_number(workers, parts ? subgroup : workers.holder() / "size", size, steps);
}

Steps sizes(const std::vector<PodTemplate>& all, std::uint32_t beside_workers) {
  Steps out;
  for (const PodTemplate& each : all) {
    const auto hosts = each.asks_for_tpu() ? each.hosts() : std::nullopt;
    if (!hosts || !is_of_nodes(each)) continue;
    if (each.maker() == Maker::lws_workers)
      set_group(each, *hosts + beside_workers, out);
    else
      set_pods(each, *hosts, out);
  }
  return out;
}

}  // namespace

Edit set(Path path, Json value) {
  return {.path = std::move(path), .value = std::move(value)};
}

Edit removal(Path path, std::string what) {
  return {.path = std::move(path), .what = std::move(what)};
}

void set_pods(const PodTemplate& each, std::uint32_t hosts, Steps& steps) {
  switch (each.maker()) {
    case Maker::job:
    case Maker::jobset:
      set_number(each, each.holder() / "completions", hosts, steps);
      return set_number(each, each.holder() / "parallelism", hosts, steps);
    case Maker::ray_workers:
      return set_number(each, each.holder() / "numOfHosts", hosts, steps);
    default:
      return;
  }
}

Tiers size_proposals(const Asked& asked) {
  Tier tier{sizes(asked.all, 0)};
  if (!asked.all.empty() && asked.all.front().maker() == Maker::lws_leader)
    tier.push_back(sizes(asked.all, 1));
  return {tier};
}

Tiers replicas_proposals(const Asked& asked) {
  if (asked.all.size() != 1 || asked.all.front().maker() != Maker::stateful_set) return {};
  const PodTemplate& only = asked.all.front();
  const auto hosts = only.hosts();
  if (!hosts || *hosts == 0 || !is_of_nodes(only)) return {};
  const std::uint32_t slices = only.pods_of_slice().value_or(1) / *hosts;
  Tier tier;
  for (const std::uint32_t each : {slices, slices + 1})
    if (each > 0) tier.push_back({set(only.holder() / "replicas", each * *hosts)});
  return {tier};
}

}  // namespace tpuwh::server::fixes
