#include "kubectl/reference/catalog/find_pools.hpp"

#include "base/counted.hpp"
#include "base/result.hpp"
#include "kubectl/text/near_miss.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <string>

namespace tpuwh::server::catalog {

namespace {

using topology::Dims;
using topology::Generation;
using topology::layout::NodePool;

// Far above any slice's: a longer number is no accelerator type.
constexpr std::uint64_t most_cores = 1'000'000;

// "1x1 (1 chip per node), 2x2, 2x4 (4 chips per node)"
std::string all_shapes(const Generation& generation) {
  std::string result;
  std::uint32_t last = 0;
  for (const auto& machine : generation.machine_types) {
    if (machine.chips_per_vm == last) continue;  // a twin
    last = machine.chips_per_vm;
    result += fmt::format("{}{} ({} per node)", result.empty() ? "" : "; ",
                          topology::legal_shapes(generation, last), base::counted(last, "chip"));
  }
  return result;
}

Dims sorted(const Dims& dims) {
  const auto [a, b, c] = std::array{dims.axis(0), dims.axis(1), dims.axis(2)};
  const auto least = std::min(a, b), most = std::max(a, b);
  if (dims.rank() == 2) return Dims(least, most);
  return Dims(std::min(least, c), std::clamp(c, least, most), std::max(most, c));
}

Error unknown_topology(const Generation& generation, const Dims& dims) {
  std::string hint;
  if (dims.rank() != generation.rank) {
    hint = fmt::format(", whose topologies have {} dimensions", generation.rank);
  } else if (!topology::layout::node_pools(generation, sorted(dims)).empty()) {
    hint = ", whose axes must ascend" + text::did_you_mean(sorted(dims).text());
  }
  return bad_value(fmt::format("{} ({}) is not a topology of {}{}{} Supported: {}", dims.text(),
                               base::counted(dims.chips(), "chip"), generation.label, hint,
                               hint.ends_with('?') ? "" : ".", all_shapes(generation)));
}

// "4x4 or 2x8"; "" where no listed topology has so many cores.
std::string shapes_with(const Generation& generation, std::uint64_t cores) {
  std::string out;
  for (const Dims& dims : topologies_with(generation, cores))
    out += (out.empty() ? "" : " or ") + dims.text();
  return out;
}

// Where a topology belongs, the number of an accelerator type: "16" of "v6e-16" counts TensorCores,
// of which a chip may have two (catalog, cores_per_chip).
Error number_for_topology(const Generation& generation, std::uint64_t number) {
  const unsigned each = generation.cores_per_chip;
  const std::string by_cores = shapes_with(generation, number);
  const std::string by_chips = each == 1 ? "" : shapes_with(generation, number * each);
  const std::string counted = each == 1 ? "" : fmt::format(" ({} TensorCores on a chip)", each);
  std::string text =
      fmt::format("topology \"{}\" is not {}", number, generation.rank == 2 ? "AxB" : "AxBxC");
  text +=
      by_cores.empty()
          ? fmt::format("; no listed topology is {}-{}{}", generation.type_prefix, number, counted)
          : fmt::format("; {}-{}{} is {}", generation.type_prefix, number, counted, by_cores);
  if (!by_chips.empty())
    text += fmt::format("; {} chips are {} ({}-{})", number, by_chips, generation.type_prefix,
                        number * each);
  return bad_value(text);
}

// Of digits alone.
std::optional<std::uint64_t> whole_number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (status != std::errc{} || end != text.data() + text.size() || value > most_cores)
    return std::nullopt;
  return value;
}

Error wrong_cores(const Accelerator& accelerator, const Dims& dims) {
  const auto& generation = *accelerator.generation;
  return bad_value(fmt::format("{} is {}-{}, not {}-{}", dims.text(), generation.type_prefix,
                               dims.chips() * generation.cores_per_chip, generation.type_prefix,
                               *accelerator.cores));
}

}  // namespace

Result<std::vector<NodePool>> find_pools(const Accelerator& accelerator, std::string_view topology,
                                         std::optional<std::uint32_t> chips_per_node) {
  const auto& [generation, cores, machine] = accelerator;
  if (const auto number = whole_number(topology)) return number_for_topology(*generation, *number);
  const auto dims = Dims::parse(topology);
  if (!dims) return dims.error();
  if (cores && dims->chips() * generation->cores_per_chip != *cores) {
    return wrong_cores(accelerator, *dims);
  }
  if (machine != nullptr &&
      chips_per_node.value_or(machine->chips_per_vm) != machine->chips_per_vm) {
    return bad_value(fmt::format("{} has {} chips, not {}", machine->name, machine->chips_per_vm,
                                 *chips_per_node));
  }
  auto pools = topology::layout::node_pools(*generation, *dims);
  const auto chips = machine != nullptr ? machine->chips_per_vm : chips_per_node;
  if (pools.empty() && (!chips || dims->rank() != generation->rank)) {
    return unknown_topology(*generation, *dims);
  }
  if (!chips) return pools;
  const auto pool = topology::layout::node_pool(*generation, *dims, *chips);
  if (!pool) return pool.error();
  std::erase_if(pools, [&](const NodePool& other) {
    return other.machine->chips_per_vm != *chips ||
           (machine != nullptr && other.machine != machine);
  });
  return pools;
}

std::vector<Dims> topologies_with(const Generation& generation, std::uint64_t cores) {
  std::vector<Dims> result;
  for (const auto& machine : generation.machine_types) {
    for (const auto& row : machine.topologies) {
      const bool fits = row.dims.chips() * generation.cores_per_chip == cores;
      if (fits && std::ranges::find(result, row.dims) == result.end()) result.push_back(row.dims);
    }
  }
  return result;
}

}  // namespace tpuwh::server::catalog
