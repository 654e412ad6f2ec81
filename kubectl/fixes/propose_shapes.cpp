#include "kubectl/fixes/proposing.hpp"
#include "server/text/json_text.hpp"
#include "topology/accelerator.hpp"
#include "webhook/read/vocabulary.hpp"

#include <algorithm>
#include <array>

namespace tpuwh::server::fixes {

namespace {

namespace key = webhook::read::key;
using topology::Dims;

Steps select_topology(const PodTemplate& each, const Dims& dims) {
  return {set(each.selector(key::topology), dims.text())};
}

// The same number in limits and, where they are set, in requests.
void set_chips(const PodTemplate& each, std::uint32_t chips, Steps& steps) {
  for (const Container& container : each.containers()) {
    if (!container.asks_for_tpu || container.init) continue;
    for (const char* list : {"limits", "requests"}) {
      const Path path = container.path / "resources" / list / std::string(key::tpu);
      const Json* now = each.value(path);
      if (now == nullptr || container.chips == chips) continue;
      const Json value = now->is_string() ? Json(std::to_string(chips)) : Json(chips);
      steps.emplace_back(set(path, value));
    }
  }
}

std::size_t processes(const PodTemplate& each) {
  return static_cast<std::size_t>(std::ranges::count_if(
      each.containers(), [](const Container& one) { return one.asks_for_tpu && !one.init; }));
}

// Whether the Pods that there are, are such slices: eight slices of one host are not what eight
// parts of a host were.
bool makes_slices(const PodTemplate& each, std::uint32_t hosts) {
  const auto pods = each.pods_of_slice();
  if (!pods) return true;
  return each.maker() == Maker::stateful_set ? *pods % hosts == 0 : *pods == hosts;
}

// Chips per node with which the topology exists.
std::vector<std::uint32_t> chips_of_nodes(const PodTemplate& each) {
  const topology::Generation* generation = each.generation();
  const auto dims = Dims::parse(each.topology());
  if (generation == nullptr || !dims) return {};
  std::array<std::uint32_t, 4> all{};
  const std::size_t count = topology::chips_per_vm_of(*generation, *dims, all);
  return {all.begin(), all.begin() + static_cast<std::ptrdiff_t>(count)};
}

// Every A<=B<=C of the rule that is so many chips (Generation::cube_axis).
void add_by_rule(const topology::Generation& generation, std::uint64_t chips,
                 std::vector<Dims>& out) {
  const std::uint32_t step = generation.cube_axis;
  if (step == 0 || chips > generation.max_slice_chips) return;
  for (std::uint64_t a = step; a * a * a <= chips; a += step)
    for (std::uint64_t b = a; a * b * b <= chips; b += step) {
      const std::uint64_t c = chips / (a * b);
      const Dims dims(static_cast<std::uint32_t>(a), static_cast<std::uint32_t>(b),
                      static_cast<std::uint32_t>(c));
      if (dims.chips() == chips && c % step == 0 && std::ranges::find(out, dims) == out.end())
        out.push_back(dims);
    }
}

std::vector<Dims> dims_of(const topology::Generation& generation, std::uint32_t hosts,
                          std::uint32_t chips) {
  std::vector<Dims> out;
  for (const topology::MachineType& machine : generation.machine_types)
    for (const topology::Topology& row : machine.topologies)
      if (machine.chips_per_vm == chips && row.vms == hosts &&
          std::ranges::find(out, row.dims) == out.end())
        out.push_back(row.dims);
  if (generation.cube_chips_per_vm == chips)
    add_by_rule(generation, std::uint64_t{hosts} * chips, out);
  return out;
}

// How many hosts a slice may have, by the number of Pods. Those of a StatefulSet are several
// slices or one; those of a Job may be slices of their own; a leader may be none of the slice.
std::vector<std::uint32_t> slice_sizes(const PodTemplate& each) {
  const auto pods = each.pods_of_slice();
  if (!pods) return {};
  std::vector<std::uint32_t> out{*pods};
  switch (each.maker()) {
    case Maker::job:
    case Maker::jobset:
      if (*pods > 1) out.push_back(1);
      return out;
    case Maker::lws_workers:
      if (*pods > 1) out.push_back(*pods - 1);
      return out;
    case Maker::stateful_set:
      for (std::uint32_t hosts = 1; hosts <= *pods / 2 && out.size() <= max_ways; ++hosts)
        if (*pods % hosts == 0) out.push_back(hosts);
      return out;
    default:
      return out;
  }
}

// A way for each topology of so many hosts.
Tier topologies_of(const PodTemplate& each, const std::vector<std::uint32_t>& sizes) {
  Tier out;
  const topology::Generation* generation = each.generation();
  if (generation == nullptr || !each.asks_for_tpu()) return out;
  for (const std::uint32_t hosts : sizes)
    for (const Dims& dims : dims_of(*generation, hosts, each.chips()))
      out.push_back(select_topology(each, dims));
  return out;
}

// Of several templates what is done to all of them, where for each there is one way.
Tier together(const std::vector<Tier>& templates) {
  if (templates.size() == 1) return templates.front();
  Steps all;
  for (const Tier& each : templates) {
    if (each.size() != 1) return {};
    all.insert(all.end(), each.front().begin(), each.front().end());
  }
  return {all};
}

// What is probably meant by one that no node has; nothing where it is one, or nothing is near.
std::optional<Dims> meant(const PodTemplate& each) {
  const std::string text = each.text(each.selector(key::topology));
  const topology::Generation* generation = each.generation();
  if (text.empty()) return std::nullopt;
  if (const auto dims = Dims::parse(text)) {
    if (generation == nullptr || !chips_of_nodes(each).empty()) return std::nullopt;
    return topology::nearest_topology(*generation, *dims);
  }
  std::string lower = text;
  std::ranges::replace(lower, 'X', 'x');
  if (const auto dims = Dims::parse(lower)) return *dims;
  return generation == nullptr ? std::nullopt : topology::nearest_topology(*generation, text);
}

// "4x4" where all priorities of the class have it.
std::optional<Dims> only_topology(const Json& compute_class) {
  std::optional<Dims> out;
  const Json& priorities = text::member(text::member(compute_class, "spec"), "priorities");
  if (!priorities.is_array()) return std::nullopt;
  for (const Json& each : priorities) {
    const auto dims = Dims::parse(text::text_member(text::member(each, "tpu"), "topology"));
    if (!dims || (out && *out != *dims)) return std::nullopt;
    out = *dims;
  }
  return out;
}

std::optional<Dims> of_class(const Subject& subject, const PodTemplate& each) {
  const std::string name = each.text(each.selector(key::compute_class));
  for (const Json* one : subject.compute_classes)
    if (!name.empty() && text::text_member(text::member(*one, "metadata"), "name") == name)
      return only_topology(*one);
  return std::nullopt;
}

}  // namespace

bool is_of_nodes(const PodTemplate& each) {
  const std::vector<std::uint32_t> all = chips_of_nodes(each);
  return each.generation() == nullptr || std::ranges::find(all, each.chips()) != all.end();
}

Tier topologies_of_pods(const PodTemplate& each) {
  const auto pods = each.pods_of_slice();
  return pods ? topologies_of(each, {*pods}) : Tier();
}

// All chips of a node, with as many Pods as there are; then with as many as that makes hosts. Or
// the topology that is missed by the numbers that there are.
Tiers chips_proposals(const Asked& asked) {
  std::vector<Tier> chips_alone, with_pods;
  for (const PodTemplate& each : asked.all) {
    const std::size_t shares = each.asks_for_tpu() ? processes(each) : 0;
    if (shares == 0 || is_of_nodes(each)) continue;
    Tier& alone = chips_alone.emplace_back();
    Tier& with = with_pods.emplace_back();
    for (const std::uint32_t chips : chips_of_nodes(each)) {
      if (chips % shares != 0) continue;
      const auto hosts = static_cast<std::uint32_t>(Dims::parse(each.topology())->chips() / chips);
      Steps steps;
      set_chips(each, chips / static_cast<std::uint32_t>(shares), steps);
      if (makes_slices(each, hosts)) alone.push_back(steps);
      set_pods(each, hosts, steps);
      with.push_back(std::move(steps));
    }
    for (Steps& steps : topologies_of_pods(each)) alone.push_back(std::move(steps));
  }
  return {together(chips_alone), together(with_pods)};
}

Tiers missing_topology_proposals(const Asked& asked) {
  std::vector<Tier> ways;
  for (const PodTemplate& each : asked.all) {
    if (!each.asks_for_tpu() || !each.topology().empty()) continue;
    Tier& own = ways.emplace_back();
    if (each.text(each.selector(key::compute_class)).empty())
      own = topologies_of(each, slice_sizes(each));
    else if (const auto dims = of_class(asked.subject, each))
      own.push_back(select_topology(each, *dims));
  }
  return {together(ways)};
}

Tiers other_topology_proposals(const Asked& asked) {
  Steps steps;
  for (const PodTemplate& each : asked.all)
    if (const auto dims = meant(each))
      steps.emplace_back(set(each.selector(key::topology), dims->text()));
  return {{steps}};
}

Tiers accelerator_proposals(const Asked& asked) {
  Steps steps;
  for (const PodTemplate& each : asked.all) {
    const std::string text = each.text(each.selector(key::accelerator));
    if (text.empty() || each.generation() != nullptr) continue;
    if (const topology::Generation* nearest = topology::nearest_accelerator(text))
      steps.emplace_back(set(each.selector(key::accelerator), std::string(nearest->label)));
  }
  return {{steps}};
}

}  // namespace tpuwh::server::fixes
