#include "kubectl/reference/catalog/shape_report.hpp"

#include "base/counted.hpp"
#include "kubectl/reference/catalog/gcloud.hpp"
#include "kubectl/reference/catalog/notes.hpp"
#include "kubectl/reference/catalog/picture.hpp"
#include "kubectl/reference/catalog/pod.hpp"
#include "kubectl/reference/catalog/sub_slice_rows.hpp"
#include "kubectl/reference/catalog/words.hpp"
#include "kubectl/text/ink.hpp"
#include "topology/layout/grid.hpp"

#include <fmt/format.h>

#include <sstream>
#include <string_view>

namespace tpuwh::server::catalog {

namespace {

using topology::layout::NodePool;

// "2x2 (4 of 1 node), 2x4 (2 of 2 nodes)"
std::string sub_slices_text(const topology::Slice& slice) {
  std::string out;
  for (const auto& row : sub_slice_rows(slice)) {
    out += fmt::format("{}{} ({} of {})", out.empty() ? "" : ", ", row.dims.text(), row.count,
                       base::counted(row.nodes_each, "node"));
  }
  return out;
}

std::string field(std::string_view name, const std::string& value) {
  return value.empty() ? "" : fmt::format("  {:<17} {}\n", name, value);
}

std::string nodes_text(const topology::Slice& slice) {
  return fmt::format("{} of {}: {}", slice.hosts, base::counted(slice.chips_per_host, "chip"),
                     slice.multi_host()
                         ? "multi-host, worker ids 0 to " + std::to_string(slice.hosts - 1)
                         : "single-host");
}

// "12 of 4x4x4 (1 x 3 x 4), each 16 nodes and a node pool"
std::string blocks_text(const NodePool& pool, const PoolOptions& options) {
  const auto made_of = blocks(pool, options);
  if (!made_of) return {};
  const auto block = made_of->block.text();
  if (made_of->shared())
    return fmt::format("a part of one of {} of {} nodes, which {} such slices share", block,
                       made_of->nodes, made_of->per_block);
  const auto& along = made_of->along;
  return fmt::format("{} of {} of {} nodes: {} x {} x {}", base::counted(made_of->count(), "block"),
                     block, made_of->nodes, along[0], along[1], along[2]);
}

std::string slices_text(const NodePool& pool, const PoolOptions& options) {
  if (options.slices == 1) return {};
  return fmt::format("{}: {} chips, {} in {}", options.slices, pool.slice.chips * options.slices,
                     base::counted(std::uint64_t{pool.slice.hosts} * options.slices, "node"),
                     base::counted(pool_count(pool, options), "node pool"));
}

std::string numbers(const NodePool& pool, const PoolOptions& options) {
  const auto& slice = pool.slice;
  const auto cores =
      fmt::format("{}: {}, {} on each", slice.chips, base::counted(slice.cores(), "TensorCore"),
                  slice.generation->cores_per_chip);
  return field("chips", cores) + field("nodes", nodes_text(slice)) +
         field("made of", blocks_text(pool, options)) +
         field("slices", slices_text(pool, options)) +
         field("accelerator type", slice.accelerator_type()) +
         field("chips per host", topology::text(slice.chips_per_process_bounds())) +
         field("hosts", topology::text(slice.host_bounds())) + field("wrap", wrap_text(slice)) +
         field("sub-slices", sub_slices_text(slice)) +
         field("sources",
               joined(pool.row == nullptr ? slice.generation->sources : pool.row->sources));
}

std::string indented(const std::string& text) {
  std::istringstream lines(text);
  std::string out;
  for (std::string line; std::getline(lines, line);)
    out += line.empty() ? "\n" : "  " + line + '\n';
  return out;
}

std::string section(std::string_view title, const std::string& body, bool colour) {
  return '\n' + text::paint(title, text::Ink::bold, colour) + '\n' + indented(body);
}

std::string notes_text(const NodePool& pool, const PoolOptions& options) {
  std::string out;
  for (const auto& note : notes(pool, options)) out += "  * " + note + '\n';
  return out.empty() ? "" : '\n' + out;
}

}  // namespace

std::string shape_text(const NodePool& pool, const PoolOptions& options, bool colour) {
  const auto& slice = pool.slice;
  const std::string title =
      fmt::format("{} of {} ({}) on {} x {}", slice.dims.text(), slice.accelerator,
                  slice.generation->name, slice.hosts, pool.machine->name);
  std::string out = text::paint(title, text::Ink::bold, colour) + "\n\n" + numbers(pool, options) +
                    notes_text(pool, options);
  if (const auto grid = topology::layout::host_grid(slice.dims, slice.chips_per_host)) {
    out += section("Chips and hosts", picture(*grid, slice.dims.rank(), colour), colour);
  }
  out += section(pool_count(pool, options) == 1 ? "Node pool" : "Node pools",
                 gcloud_script(pool, options), colour);
  const std::uint64_t pods = std::uint64_t{slice.hosts} * options.slices;
  return out + section(pods == 1 ? "Pod" : fmt::format("Each of {} Pods, one on a node", pods),
                       pod_yaml(pool, options), colour);
}

}  // namespace tpuwh::server::catalog
