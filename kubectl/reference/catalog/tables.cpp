#include "kubectl/reference/catalog/tables.hpp"

#include "kubectl/print/table.hpp"
#include "kubectl/reference/catalog/cited_sources.hpp"
#include "kubectl/reference/catalog/words.hpp"
#include "topology/layout/node_pool.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <vector>

namespace tpuwh::server::catalog {

namespace {

using topology::Dims;
using topology::Generation;
using topology::MachineType;
using topology::layout::NodePool;

// A twin (tpu7x-ultranet-4t) has the shapes of the machine type before it.
bool is_twin(const Generation& generation, const MachineType& machine) {
  const auto first =
      std::ranges::find(generation.machine_types, machine.chips_per_vm, &MachineType::chips_per_vm);
  return first->name != machine.name;
}

std::string shapes_of(const Generation& generation, const MachineType& machine) {
  if (is_twin(generation, machine)) return "as above";
  return topology::legal_shapes(generation, machine.chips_per_vm);
}

std::string heading(const Generation& generation, bool colour) {
  return fmt::format("{} ({}): {}\n", text::paint(generation.label, text::Ink::bold, colour),
                     generation.name, generation.status);
}

// "v6e-N, N counts cores, 1 on a chip; slices of up to 256 chips; multislice"
std::string facts(const Generation& generation) {
  return fmt::format("  {}-N, N counts cores, {} on a chip; slices of up to {} chips; {}\n",
                     generation.type_prefix, generation.cores_per_chip, generation.max_slice_chips,
                     generation.multislice ? "multislice" : "no multislice");
}

std::string generation_block(const Generation& generation, bool colour) {
  std::string out = heading(generation, colour) + facts(generation);
  out += "  sources: " + joined(generation.sources) + '\n';
  print::Table table({"machine type", "chips per node", "topologies", "sources"});
  for (const MachineType& machine : generation.machine_types) {
    table.add({std::string(machine.name), std::to_string(machine.chips_per_vm),
               shapes_of(generation, machine), joined(machine.sources)});
  }
  return out + table.text(colour).text() + '\n';
}

std::string source_list() {
  std::string out = "Sources\n";
  for (const auto& source : cited_sources()) {
    out +=
        fmt::format("  {}: {}; {} ({})\n", source.id, source.title, source.where, source.version);
  }
  return out;
}

std::string rule_line(const Generation& generation) {
  if (generation.cube_axis == 0) return {};
  return fmt::format(
      "In addition, every A<=B<=C in multiples of {} up to {} chips, on nodes of {} "
      "chips.\n",
      generation.cube_axis, generation.max_slice_chips, generation.cube_chips_per_vm);
}

print::Table::Row shape_row(const NodePool& pool) {
  const auto& slice = pool.slice;
  return {slice.dims.text(),
          std::to_string(slice.chips),
          std::to_string(slice.hosts),
          std::string(pool.machine->name),
          slice.accelerator_type(),
          topology::text(slice.chips_per_process_bounds()),
          topology::text(slice.host_bounds()),
          wrap_text(slice),
          pool.row == nullptr ? "" : joined(pool.row->sources)};
}

bool is_among(const topology::Topology& row, std::span<const Dims> dims) {
  return dims.empty() || std::ranges::find(dims, row.dims) != dims.end();
}

// How many sources the rows of a table have that is no longer than a screen.
std::size_t sources_of_a_screen(const Generation& generation, std::span<const Dims> dims) {
  constexpr std::size_t most_rows = 24;
  std::vector<std::size_t> sources;
  for (const MachineType& machine : generation.machine_types)
    if (!is_twin(generation, machine))
      for (const auto& row : machine.topologies)
        if (is_among(row, dims)) sources.push_back(row.sources.size());
  std::ranges::sort(sources, std::greater());
  return sources.size() <= most_rows ? 0 : sources[most_rows] + 1;
}

}  // namespace

std::string all_generations_text(bool colour) {
  std::string out;
  for (const Generation& generation : topology::generations()) {
    out += generation_block(generation, colour);
  }
  return out + source_list();
}

std::string generation_text(const Generation& generation, std::span<const Dims> dims, bool all,
                            bool colour) {
  print::Table table({"topology", "chips", "nodes", "machine type", "type", "chips/host", "hosts",
                      "wrap", "sources"});
  const std::size_t least = all ? 0 : sources_of_a_screen(generation, dims);
  std::size_t left_out = 0;
  std::string twins;
  for (const MachineType& machine : generation.machine_types) {
    if (is_twin(generation, machine)) {
      twins += fmt::format("{}: {}\n", machine.name, machine.note);
      continue;
    }
    for (const auto& row : machine.topologies) {
      if (!is_among(row, dims)) continue;
      if (row.sources.size() < least)
        ++left_out;
      else
        table.add(
            shape_row(*topology::layout::node_pool(generation, row.dims, machine.chips_per_vm)));
    }
  }
  std::string out =
      heading(generation, colour) + facts(generation) + '\n' + table.text(colour).text();
  if (left_out > 0) out += fmt::format("  … {} more; --all prints them\n", left_out);
  if (!twins.empty()) out += '\n' + twins;
  if (generation.cube_axis != 0) out += '\n' + rule_line(generation);
  if (!generation.note.empty()) out += fmt::format("\n{}\n", generation.note);
  return out;
}

}  // namespace tpuwh::server::catalog
