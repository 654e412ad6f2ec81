// Build step: tpu-catalog.json in, the rows of catalog.hpp as C++ out.
//
//   generate_catalog tpu-catalog.json catalog_rows.hpp
//
// It copies and checks, it computes nothing: a value that the data lacks or that
// this program does not understand stops the build with the value's place. What
// the rows say about bounds and wrap is compared with our own arithmetic by
// tests/unit/topology.
#include "topology/dims.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdint>
#include <exception>
#include <fstream>
#include <iostream>
#include <limits>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

using nlohmann::json;
using tpuwh::topology::Dims;

// A value of the file and where it stands, so that every complaint has a place.
class Value {
 public:
  Value(const json& value, std::string path) : value_(&value), path_(std::move(path)) {}

  [[noreturn]] void fail(const std::string& why) const {
    throw std::runtime_error((path_.empty() ? "the file" : path_) + ": " + why);
  }

  bool has(const char* key) const { return value_->contains(key) && !(*value_)[key].is_null(); }

  Value at(const char* key) const {
    if (!value_->is_object() || !value_->contains(key)) fail(std::string("has no \"") + key + '"');
    return {(*value_)[key], path_.empty() ? key : path_ + '.' + key};
  }

  std::vector<Value> elements() const {
    if (!value_->is_array()) fail("is not an array");
    std::vector<Value> result;
    for (std::size_t i = 0; i < value_->size(); ++i) {
      result.emplace_back((*value_)[i], path_ + '[' + std::to_string(i) + ']');
    }
    return result;
  }

  std::vector<std::pair<std::string, Value>> members() const {
    if (!value_->is_object()) fail("is not an object");
    std::vector<std::pair<std::string, Value>> result;
    for (const auto& [key, value] : value_->items()) {
      result.emplace_back(key, Value(value, path_ + '.' + key));
    }
    return result;
  }

  // Refuses what could not stand in a C++ string literal as it is.
  std::string text() const {
    if (!value_->is_string()) fail("is not a string");
    std::string result = value_->get<std::string>();
    if (result.empty()) fail("is empty");
    for (const char c : result) {
      if (c < ' ' || c > '~' || c == '"' || c == '\\') fail("has a character outside plain ASCII");
    }
    return result;
  }

  std::uint32_t number() const {
    constexpr std::uint64_t largest = std::numeric_limits<std::uint32_t>::max();
    if (!value_->is_number_unsigned() || value_->get<std::uint64_t>() > largest) {
      fail("is not a 32-bit whole number");
    }
    return value_->get<std::uint32_t>();
  }

  bool flag() const {
    if (!value_->is_boolean()) fail("is neither true nor false");
    return value_->get<bool>();
  }

  Dims dims() const {
    const auto result = Dims::parse(text());
    if (!result) fail(result.error().message());
    return *result;
  }

 private:
  const json* value_;
  std::string path_;
};

std::string literal(const std::string& text) {
  return '"' + text + '"';
}

std::string literal(const Dims& dims) {
  std::string result = "Dims(";
  for (unsigned i = 0; i < dims.rank(); ++i) {
    result += (i > 0 ? ", " : "") + std::to_string(dims.axis(i));
  }
  return result + ')';
}

// Arrays the rows point to. They have to stand above the rows, and equal ones
// (256 topologies have 28 lists of sources) are written once.
class Arrays {
 public:
  // The name of an array with these elements.
  std::string add(std::string_view type, const std::vector<std::string>& elements) {
    std::string body = "[] = {";
    for (const std::string& element : elements) body += "\n    " + element + ',';
    body += "\n};\n";
    const auto [entry, is_new] = names_.try_emplace(body, "array_" + std::to_string(names_.size()));
    if (is_new) text_ += "constexpr " + std::string(type) + ' ' + entry->second + body;
    return entry->second;
  }
  const std::string& text() const { return text_; }

 private:
  std::map<std::string, std::string> names_;
  std::string text_;
};

class Generator {
 public:
  explicit Generator(const Value& catalog) : catalog_(catalog) {}

  std::string header() {
    if (catalog_.at("schema_version").number() != 1) catalog_.fail("\"schema_version\" is not 1");
    std::string generations;
    for (const Value& value : catalog_.at("generations").elements()) {
      generations += "    " + generation(value) + ",\n";
    }
    std::string shapes;
    for (const Value& value : catalog_.at("rules").at("sub_slice_topologies").elements()) {
      shapes += "    " + literal(value.dims()) + ",\n";
    }
    return "// Written by generate_catalog from tpu-catalog.json; do not edit.\n#pragma once\n\n"
           "#include \"topology/catalog.hpp\"\n#include \"topology/machine_size.hpp\"\n\n"
           "#include <array>\n#include <string_view>\n\n"
           "namespace tpuwh::topology::rows {\n\n" +
           arrays_.text() + "\nconstexpr Generation generations[] = {\n" + generations +
           "};\n\nconstexpr Dims sub_slice_shapes[] = {\n" + shapes +
           "};\n\nconstexpr MachineSize machine_sizes[] = {\n" + machine_sizes() +
           "};\n\nconstexpr std::array<Announced, " +
           std::to_string(catalog_.at("announced_without_gke_support").elements().size()) +
           "> announced{{\n" + announced() + "}};\n\nconstexpr Source sources[] = {\n" +
           all_sources() + "};\n\n}  // namespace tpuwh::topology::rows\n";
  }

 private:
  std::string generation(const Value& value) {
    const Cubes cubes = cube_rule(value);
    return "{.label = " + literal(value.at("gke_accelerator_label").text()) +
           ", .id = " + literal(value.at("id").text()) +
           ", .name = " + literal(value.at("name").text()) +
           ", .type_prefix = " + literal(value.at("accelerator_type_prefix").text()) +
           ", .rank = " + std::to_string(rank(value)) +
           ", .cores_per_chip = " + std::to_string(value.at("cores_per_chip").number()) +
           ", .aliases = " + aliases(value) + ", .wrap = " + wrap_rule(value.at("wrap_rule")) +
           ", .traits = " + traits(value) +
           ", .placed_by_policy = " + word(value.at("placed_by_policy")) +
           ", .flex_start = " + word(value.at("flex_start")) +
           ", .dynamic_slicing = " + dynamic_slicing(value) +
           ", .multislice = " + (multislice(value) ? "true" : "false") +
           ", .max_slice_chips = " + std::to_string(value.at("max_slice_chips").number()) +
           ", .cube_axis = " + std::to_string(cubes.axis) +
           ", .cube_chips_per_vm = " + std::to_string(cubes.chips_per_vm) +
           ", .machine_types = " + machine_types(value) + ", .physical_chips_per_host = " +
           std::to_string(value.at("physical_chips_per_host").number()) +
           ", .bounds_set_by_gke = " + word(value.at("bounds_env_set_by_gke")) +
           ", .status = " + literal(value.at("status").text()) + ", .note = " + note(value) +
           ", .sources = " + sources(value) + '}';
  }

  static std::string word(const Value& flag) { return flag.flag() ? "true" : "false"; }

  std::string aliases(const Value& generation) {
    if (!generation.has("aliases")) return "{}";
    std::vector<std::string> names;
    for (const Value& name : generation.at("aliases").elements())
      names.push_back(literal(name.text()));
    return arrays_.add("std::string_view", names);
  }

  static std::string traits(const Value& generation) {
    const Value processes = generation.at("processes_per_host");
    const Value devices = generation.at("torch_tpu_devices_per_chip");
    if (processes.number() == 0) processes.fail("is 0");
    if (devices.number() == 0) devices.fail("is 0");
    return "{.devices_per_chip = " + std::to_string(devices.number()) +
           ", .processes_per_host = " + std::to_string(processes.number()) +
           ", .ids_by_webhook = " + (ids_by_webhook(generation) ? "true" : "false") +
           ", .process_addresses = " + word(generation.at("process_addresses")) + '}';
  }

  static bool ids_by_webhook(const Value& generation) {
    const Value by = generation.at("single_host_ids_by");
    if (by.text() != "webhook" && by.text() != "device plugin")
      by.fail("is neither \"device plugin\" nor \"webhook\"");
    return by.text() == "webhook";
  }

  // "&array_7[0]", or null.
  std::string dynamic_slicing(const Value& generation) {
    if (!generation.has("dynamic_slicing")) return "nullptr";
    const Value said = generation.at("dynamic_slicing");
    const Value block = said.at("sub_block"), parts = said.at("sub_slice");
    const Value slices = said.at("super_slice");
    const Dims cube = block.at("topology").dims();
    if (cube != Dims(cube.axis(0), cube.axis(0), cube.axis(0)))
      block.at("topology").fail("is not a cube");
    if (slices.at("max_chips").number() != generation.at("max_slice_chips").number())
      slices.at("max_chips").fail("differs from max_slice_chips");
    std::vector<std::string> shapes;
    for (const Value& shape : parts.at("topologies").elements())
      shapes.push_back(literal(shape.dims()));
    const std::string row =
        "{.block = " + literal(cube) + ", .nodes = " + std::to_string(block.at("nodes").number()) +
        ", .machine_type = " + literal(block.at("machine_type").text()) +
        ", .parts = " + arrays_.add("Dims", shapes) +
        ", .version_of_parts = " + literal(parts.at("min_gke_version").text()) +
        ", .version_of_slices = " + literal(slices.at("min_gke_version").text()) +
        ", .most_blocks = " + std::to_string(slices.at("max_sub_blocks_claimed").number()) + '}';
    return arrays_.add("DynamicSlicing", {row});
  }

  static unsigned rank(const Value& generation) {
    const std::uint32_t rank = generation.at("dimensions").number();
    if (rank != 2 && rank != 3) generation.at("dimensions").fail("is neither 2 nor 3");
    return rank;
  }

  // The file says null where no source says anything (tpu7).
  static bool multislice(const Value& generation) {
    return generation.has("multislice") && generation.at("multislice").flag();
  }

  // The rule is a sentence in the file; a new sentence needs new arithmetic.
  static std::string wrap_rule(const Value& rule) {
    const std::string text = rule.text();
    if (text == "not set" || text.starts_with("never ")) return "WrapRule::never";
    if (text ==
        "true on all three axes when every dimension is at least 4, else false on all three") {
      return "WrapRule::all_from_four";
    }
    if (text == "per axis: true only on an axis of length 16") return "WrapRule::axis_of_sixteen";
    rule.fail("is not a known wrap rule: " + text);
  }

  struct Cubes {
    std::uint32_t axis = 0;
    std::uint32_t chips_per_vm = 0;
  };

  // custom_topology_rule: the large shapes. The small ones it allows have to be
  // rows as well, which has_row() in catalog.cpp relies on.
  static Cubes cube_rule(const Value& generation) {
    if (!generation.has("custom_topology_rule")) return {};
    const Value rule = generation.at("custom_topology_rule");
    const Value large = rule.at("large_slices");
    const std::uint32_t axis = large.at("multiple_of").number();
    if (large.at("min_dimension").number() != axis)
      large.fail("smallest axis is not a single cube");
    if (!large.at("nondecreasing").flag()) large.fail("allows axes in any order");
    if (large.at("cube").dims() != Dims(axis, axis, axis)) large.fail("cube is not its multiple");
    if (large.at("max_chips").number() != generation.at("max_slice_chips").number()) {
      large.fail("max_chips differs from max_slice_chips");
    }
    for (const Value& shape : rule.at("small_slices").at("allowed").elements()) {
      if (!is_listed(generation, shape.dims())) shape.fail("is not a row of any machine type");
    }
    return {.axis = axis, .chips_per_vm = divisor(rule.at("vms"))};
  }

  static bool is_listed(const Value& generation, const Dims& dims) {
    for (const Value& machine : generation.at("machine_types").elements()) {
      const auto rows = machine.at("topologies").elements();
      const auto has_dims = [&](const Value& row) { return row.at("topology").dims() == dims; };
      if (std::ranges::any_of(rows, has_dims)) return true;
    }
    return false;
  }

  // "chips / 4"
  static std::uint32_t divisor(const Value& value) {
    constexpr std::string_view start = "chips / ";
    const std::string text = value.text();
    const std::string digits = text.starts_with(start) ? text.substr(start.size()) : "";
    if (digits.size() != 1 || digits < "1" || digits > "8") value.fail("is not \"chips / N\"");
    return static_cast<std::uint32_t>(digits[0] - '0');
  }

  std::string machine_types(const Value& generation) {
    auto machines = generation.at("machine_types").elements();
    if (machines.empty()) generation.fail("has no machine types");
    const auto chips = [](const Value& machine) { return machine.at("chips_per_vm").number(); };
    std::ranges::stable_sort(machines, {}, chips);
    std::vector<std::string> rows;
    for (const Value& machine : machines) {
      rows.push_back("{.name = " + literal(machine.at("name").text()) +
                     ", .chips_per_vm = " + std::to_string(chips(machine)) + ", .dranet = " +
                     (machine.has("dranet") ? word(machine.at("dranet")) : "false") +
                     ", .topologies = " + topologies(generation, machine) +
                     ", .note = " + note(machine) + ", .sources = " + sources(machine) + '}');
    }
    return arrays_.add("MachineType", rows);
  }

  // Two generations may name one machine type; it is the same machine then.
  std::string machine_sizes() {
    std::map<std::string, std::string> rows;
    for (const Value& generation : catalog_.at("generations").elements())
      for (const Value& machine : generation.at("machine_types").elements())
        rows[machine.at("name").text()] =
            "{.name = " + literal(machine.at("name").text()) +
            ", .vcpus = " + std::to_string(machine.at("vcpus").number()) +
            ", .memory_gb = " + std::to_string(machine.at("memory_gb").number()) + '}';
    std::string result;
    for (const auto& [name, row] : rows) result += "    " + row + ",\n";
    return result;
  }

  std::string topologies(const Value& generation, const Value& machine) {
    auto shapes = listed_topologies(generation, machine);
    if (shapes.empty()) machine.fail("has no topologies");
    const auto chips = [](const Value& shape) { return shape.at("topology").dims().chips(); };
    std::ranges::stable_sort(shapes, {}, chips);
    std::vector<std::string> rows;
    for (const Value& shape : shapes) rows.push_back(topology(shape, rank(generation)));
    return arrays_.add("Topology", rows);
  }

  // Its own, or those of the machine type it is said to be the same as.
  static std::vector<Value> listed_topologies(const Value& generation, const Value& machine) {
    const auto own = machine.at("topologies").elements();
    if (!machine.has("topologies_same_as")) return own;
    const Value model = machine.at("topologies_same_as");
    if (!own.empty()) model.fail("must not be given beside its own topologies");
    for (const Value& other : generation.at("machine_types").elements()) {
      if (other.at("name").text() == model.text()) return other.at("topologies").elements();
    }
    model.fail("is not a machine type of this generation");
  }

  std::string topology(const Value& value, unsigned rank) {
    const Dims dims = value.at("topology").dims();
    if (dims.rank() != rank)
      value.at("topology").fail("does not have the dimensions of its generation");
    return "{.dims = " + literal(dims) + ", .vms = " + std::to_string(value.at("vms").number()) +
           ", .scope = " + literal(value.at("scope").text()) +
           ", .accelerator_type = " + literal(value.at("accelerator_type").text()) +
           ", .chips_per_host_bounds = " + literal(value.at("chips_per_host_bounds").text()) +
           ", .host_bounds = " + literal(value.at("host_bounds").text()) +
           ", .wrap = " + literal(value.at("wrap").text()) + ", .sources = " + sources(value) + '}';
  }

  static std::string note(const Value& value) {
    return value.has("note") ? literal(value.at("note").text()) : "\"\"";
  }

  std::string announced() const {
    std::string result;
    for (const Value& each : catalog_.at("announced_without_gke_support").elements())
      result += "    {.name = " + literal(each.at("name").text()) +
                ", .date = " + literal(each.at("announced").text()) + "},\n";
    return result;
  }

  std::string all_sources() {
    std::string result;
    for (const auto& [id, source] : catalog_.at("sources").members()) {
      result += "    {.id = " + literal(id) + ", .title = " + literal(source.at("title").text()) +
                ", .where = " + literal(source.at("where").text()) +
                ", .version = " + literal(source.at("version").text()) + "},\n";
    }
    return result;
  }

  // Ids, each of which the file has to explain.
  std::string sources(const Value& value) {
    const Value known = catalog_.at("sources");
    std::vector<std::string> ids;
    for (const Value& source : value.at("source").elements()) {
      if (!known.has(source.text().c_str())) source.fail("is not an id in \"sources\"");
      ids.push_back(literal(source.text()));
    }
    if (ids.empty()) value.fail("names no source");
    return arrays_.add("std::string_view", ids);
  }

  Value catalog_;
  Arrays arrays_;
};

json read_json(const char* path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot be opened");
  return json::parse(file);
}

void write(const char* path, const std::string& text) {
  std::ofstream file(path);
  file << text << std::flush;
  if (!file) throw std::runtime_error(std::string("cannot write ") + path);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: generate_catalog tpu-catalog.json catalog_rows.hpp\n";
    return 2;
  }
  try {
    const json catalog = read_json(argv[1]);
    write(argv[2], Generator(Value(catalog, "")).header());
  } catch (const std::exception& error) {
    std::cerr << argv[1] << ": " << error.what() << '\n';
    return 1;
  }
}
