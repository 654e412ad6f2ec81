#include "kubectl/reference/catalog/catalog_json.hpp"

#include "kubectl/reference/catalog/cited_sources.hpp"
#include "kubectl/reference/catalog/gcloud.hpp"
#include "kubectl/reference/catalog/notes.hpp"
#include "kubectl/reference/catalog/pod.hpp"
#include "kubectl/reference/catalog/sub_slice_rows.hpp"
#include "topology/layout/grid.hpp"
#include "webhook/read/vocabulary.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace tpuwh::server::catalog {

namespace {

using topology::Generation;
using topology::MachineType;
using topology::layout::NodePool;

Json machine_json(const Generation& generation, const MachineType& machine) {
  Json topologies = Json::array();
  for (const auto& row : machine.topologies) topologies.push_back(row.dims.text());
  Json json = {{"machineType", machine.name},
               {"chipsPerNode", machine.chips_per_vm},
               {"topologies", topologies},
               {"sources", machine.sources}};
  if (generation.cube_axis != 0 && machine.chips_per_vm == generation.cube_chips_per_vm) {
    json["rule"] = {{"multipleOf", generation.cube_axis},
                    {"ascending", true},
                    {"maxChips", generation.max_slice_chips}};
  }
  if (!machine.note.empty()) json["note"] = machine.note;
  return json;
}

Json generation_head(const Generation& generation) {
  Json json = {{"accelerator", generation.label},
               {"name", generation.name},
               {"status", generation.status},
               {"dimensions", generation.rank},
               {"coresPerChip", generation.cores_per_chip},
               {"acceleratorTypePrefix", generation.type_prefix},
               {"maxSliceChips", generation.max_slice_chips},
               {"multislice", generation.multislice},
               {"boundsSetByGke", generation.bounds_set_by_gke},
               {"sources", generation.sources}};
  if (!generation.note.empty()) json["note"] = generation.note;
  return json;
}

Json source_json() {
  Json json = Json::object();
  for (const auto& source : cited_sources()) {
    json[std::string(source.id)] = {
        {"title", source.title}, {"where", source.where}, {"version", source.version}};
  }
  return json;
}

Json hosts_json(const topology::Slice& slice) {
  Json hosts = Json::array();
  const auto grid = topology::layout::host_grid(slice.dims, slice.chips_per_host);
  if (!grid) return hosts;
  for (std::uint32_t worker = 0; worker < grid->size(); ++worker) {
    hosts.push_back(
        {{"workerId", worker}, {"host", grid->host_of(worker)}, {"chips", grid->chips_of(worker)}});
  }
  return hosts;
}

Json sub_slices_json(const topology::Slice& slice) {
  Json json = Json::array();
  for (const auto& row : sub_slice_rows(slice)) {
    json.push_back(
        {{"topology", row.dims.text()}, {"count", row.count}, {"nodesEach", row.nodes_each}});
  }
  return json;
}

Json pod_json(const NodePool& pool, const PoolOptions& options) {
  Json selector = Json::object();
  for (const auto& [key, value] : node_selector(pool, options)) selector[key] = value;
  Json json = {{"count", std::uint64_t{pool.slice.hosts} * options.slices},
               {"nodeSelector", selector},
               {"limits", {{webhook::read::key::tpu, pool.slice.chips_per_host}}},
               {"yaml", pod_yaml(pool, options)}};
  for (const auto& [key, value] : pod_annotations(pool, options)) json["annotations"][key] = value;
  return json;
}

Json blocks_json(const topology::layout::Blocks& made_of) {
  return {{"topology", made_of.block.text()},
          {"nodesEach", made_of.nodes},
          {"along", made_of.along},
          {"count", made_of.count()},
          {"slicesPerBlock", made_of.per_block}};
}

// What each shape says, with or without its hosts and commands.
Json shape_head(const NodePool& pool) {
  const auto& slice = pool.slice;
  return {{"accelerator", slice.accelerator},
          {"topology", slice.dims.text()},
          {"chips", slice.chips},
          {"cores", slice.cores()},
          {"acceleratorType", slice.accelerator_type()},
          {"machineType", pool.machine->name},
          {"chipsPerNode", slice.chips_per_host},
          {"nodes", slice.hosts},
          {"multiHost", slice.multi_host()},
          {"chipsPerHostBounds", slice.chips_per_process_bounds()},
          {"hostBounds", slice.host_bounds()},
          {"wrap", slice.wrap()},
          {"listed", pool.row != nullptr},
          {"sources", pool.row != nullptr ? pool.row->sources : slice.generation->sources}};
}

Json shape_json(const NodePool& pool, const PoolOptions& options) {
  Json json = shape_head(pool);
  json["slices"] = options.slices;
  json["nodePools"] = pool_count(pool, options);
  if (const auto made_of = blocks(pool, options)) json["blocks"] = blocks_json(*made_of);
  json["subSlices"] = sub_slices_json(pool.slice);
  json["notes"] = notes(pool, options);
  json["hosts"] = hosts_json(pool.slice);
  json["commands"] = Json::array();
  for (const auto& command : gcloud_commands(pool, options)) {
    json["commands"].push_back(command.words);
  }
  json["pod"] = pod_json(pool, options);
  return json;
}

}  // namespace

Json all_generations_json() {
  Json generations = Json::array();
  for (const Generation& generation : topology::generations()) {
    Json json = generation_head(generation);
    json["machineTypes"] = Json::array();
    for (const MachineType& machine : generation.machine_types) {
      json["machineTypes"].push_back(machine_json(generation, machine));
    }
    generations.push_back(std::move(json));
  }
  return {{"generations", generations}, {"sources", source_json()}};
}

Json generation_json(const Generation& generation, std::span<const topology::Dims> dims) {
  Json json = generation_head(generation);
  json["machineTypes"] = Json::array();
  Json shapes = Json::array();
  for (const MachineType& machine : generation.machine_types) {
    json["machineTypes"].push_back(machine_json(generation, machine));
    for (const auto& row : machine.topologies) {
      if (!dims.empty() && std::ranges::find(dims, row.dims) == dims.end()) continue;
      for (const NodePool& pool : topology::layout::node_pools(generation, row.dims)) {
        if (pool.machine == &machine) shapes.push_back(shape_head(pool));
      }
    }
  }
  return {{"generation", json}, {"shapes", shapes}, {"sources", source_json()}};
}

Json shapes_json(std::span<const NodePool> pools, const PoolOptions& options) {
  Json shapes = Json::array();
  for (const NodePool& pool : pools) shapes.push_back(shape_json(pool, options));
  return {{"shapes", shapes}, {"sources", source_json()}};
}

}  // namespace tpuwh::server::catalog
