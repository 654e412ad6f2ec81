#include "kubectl/reference/catalog/command.hpp"

#include "base/result.hpp"
#include "kubectl/reference/catalog/catalog_json.hpp"
#include "kubectl/reference/catalog/find_pools.hpp"
#include "kubectl/reference/catalog/shape_report.hpp"
#include "kubectl/reference/catalog/svg.hpp"
#include "kubectl/reference/catalog/tables.hpp"
#include "server/text/json_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>

namespace tpuwh::server::catalog {

namespace {

using topology::Dims;
using topology::layout::NodePool;
using Answer = Result<std::string>;

std::string lines(const Json& json) {
  return text::dump_or_throw(json, 2) + '\n';
}

// Of machine types with the same chips and shapes the first is meant; `catalog ACCELERATOR`
// names the others.
std::vector<NodePool> without_twins(std::vector<NodePool> pools) {
  const auto same = [](const NodePool& a, const NodePool& b) {
    return a.slice.chips_per_host == b.slice.chips_per_host;
  };
  pools.erase(std::unique(pools.begin(), pools.end(), same), pools.end());
  return pools;
}

std::string shapes_text(const std::vector<NodePool>& pools, const PoolOptions& options,
                        bool colour) {
  std::string text;
  for (const NodePool& pool : pools) {
    text += (text.empty() ? "" : "\n") + shape_text(pool, options, colour);
  }
  return text;
}

// Of several ways those the flags fit; only where none is left, what is wrong with the first.
Result<std::vector<NodePool>> fitting(const std::vector<NodePool>& pools,
                                      const PoolOptions& options) {
  std::vector<NodePool> result;
  for (const NodePool& pool : pools) {
    if (!complaint(pool, options)) result.push_back(pool);
  }
  if (result.empty()) return *complaint(pools.front(), options);
  return result;
}

Answer shapes(const Accelerator& accelerator, const CatalogOptions& options, bool colour) {
  const auto pools = find_pools(accelerator, options.topology, options.chips_per_node);
  if (!pools) return pools.error();
  const auto fit = fitting(without_twins(*pools), options.pool);
  if (!fit) return fit.error();
  switch (options.output) {
    case CatalogOutput::json:
      return lines(shapes_json(*fit, options.pool));
    case CatalogOutput::svg:
      return svg(*fit);
    case CatalogOutput::text:
      break;
  }
  return shapes_text(*fit, options.pool, colour);
}

// What a table of many shapes cannot be asked.
std::optional<Error> needs_topology(const CatalogOptions& options) {
  const std::string what = options.output == CatalogOutput::svg ? "--output svg draws one shape"
                           : !options.pool.is_default() ? "flags for a node pool need its shape"
                                                        : "";
  if (what.empty()) return std::nullopt;
  return bad_value(what + ": catalog ACCELERATOR TOPOLOGY, such as v6e 4x4");
}

Answer everything(const CatalogOptions& options, bool colour) {
  if (const auto error = needs_topology(options)) return *error;
  if (options.output == CatalogOutput::json) return lines(all_generations_json());
  return all_generations_text(colour);
}

Answer one_generation(const Accelerator& accelerator, const CatalogOptions& options, bool colour) {
  const auto& generation = *accelerator.generation;
  std::vector<Dims> dims;
  if (accelerator.cores) {
    dims = topologies_with(generation, *accelerator.cores);
    if (dims.empty()) {
      return bad_value(
          fmt::format("no listed topology of {} is {}-{}: that is {} cores, {} on a chip",
                      generation.label, generation.type_prefix, *accelerator.cores,
                      *accelerator.cores, generation.cores_per_chip));
    }
    if (dims.size() == 1) {
      CatalogOptions only = options;
      only.topology = dims.front().text();
      return shapes(accelerator, only, colour);
    }
  }
  if (const auto error = needs_topology(options)) return *error;
  if (options.output == CatalogOutput::json) return lines(generation_json(generation, dims));
  return generation_text(generation, dims, options.all, colour);
}

Answer answer(const CatalogOptions& options, bool colour) {
  if (options.accelerator.empty()) return everything(options, colour);
  const auto accelerator = find_accelerator(options.accelerator);
  if (!accelerator) return accelerator.error();
  if (options.topology.empty()) return one_generation(*accelerator, options, colour);
  return shapes(*accelerator, options, colour);
}

}  // namespace

int run_catalog(const CatalogOptions& options, const text::Console& console) {
  const auto text = answer(options, console.terminal);
  if (!text) return text::print_error(console, text.error());
  console.out << text::Printed::trusted(*text);
  console.out.flush();
  return 0;
}

}  // namespace tpuwh::server::catalog
