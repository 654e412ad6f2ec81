#include "topology/slice.hpp"

#include "base/counted.hpp"
#include "topology/errc.hpp"

#include <algorithm>
#include <limits>

namespace tpuwh::topology {
namespace {

constexpr std::uint64_t max_chips_per_host = std::numeric_limits<std::uint32_t>::max();

bool is_zero(const Bounds& bounds) {
  return bounds[0] == 0;
}

Dims as_dims(const Bounds& bounds) {
  return Dims(bounds[0], bounds[1], bounds[2]);
}

// The device plugin takes labels of generations to come (docs/facts.md#labels-to-come): "tpu",
// digits and at most one letter.
bool is_future_label(std::string_view label) {
  constexpr std::string_view start = "tpu";
  if (!label.starts_with(start)) return false;
  label.remove_prefix(start.size());
  const std::size_t digits = std::min(label.find_first_not_of("0123456789"), label.size());
  const std::string_view rest = label.substr(digits);
  return digits > 0 && (rest.empty() || (rest.size() == 1 && rest[0] >= 'a' && rest[0] <= 'z'));
}

// "1, 4 or 8"
std::string node_sizes(const Generation& generation) {
  std::string result;
  std::uint32_t last = 0;
  for (const MachineType& machine : generation.machine_types) {
    if (machine.chips_per_vm == last) continue;
    last = machine.chips_per_vm;
    const bool is_largest = last == generation.machine_types.back().chips_per_vm;
    if (!result.empty()) result += is_largest ? " or " : ", ";
    result += std::to_string(last);
  }
  return result;
}

// Ends of a sentence that say what would work; empty where nobody knows.
std::string node_advice(const Generation* generation) {
  if (generation == nullptr) return {};
  return "; " + std::string(generation->label) + " has nodes of " + node_sizes(*generation) +
         " chips";
}

std::string shape_advice(const Generation* generation, std::uint32_t chips_per_host) {
  if (generation == nullptr) return {};
  const std::string shapes = legal_shapes(*generation, chips_per_host);
  if (shapes.empty()) return node_advice(generation);
  return "; with " + base::counted(chips_per_host, "chip") + " per node " +
         std::string(generation->label) + " supports " + shapes;
}

bool is_invalid(const SliceRequest& request) {
  const std::uint64_t containers = request.containers_per_pod;
  return containers == 0 || request.chips_per_container == 0 ||
         request.chips_per_container > max_chips_per_host / containers;
}

Error invalid_chips(const SliceRequest& request, const Generation* generation) {
  if (request.containers_per_pod == 0) {
    return Error(Errc::chips_invalid, "no container of the Pod asks for TPU chips");
  }
  if (request.chips_per_container == 0) {
    return Error(Errc::chips_invalid,
                 "a TPU container must ask for at least 1 chip" + node_advice(generation));
  }
  const std::string containers =
      request.containers_per_pod == 1
          ? "a container"
          : std::to_string(request.containers_per_pod) + " containers, each";
  return Error(Errc::chips_invalid, containers + " with " +
                                        base::counted(request.chips_per_container, "chip") +
                                        ", more than any node has" + node_advice(generation));
}

// The error for a topology with a wrong number of dimensions. Its advice lists the shapes of nodes
// with `chips_per_host` chips, or of the smallest nodes if no node has that number of chips.
Error wrong_rank(const SliceRequest& request, std::uint32_t chips_per_host,
                 const Generation& generation) {
  const bool has_nodes = !legal_shapes(generation, chips_per_host).empty();
  return Error(
      Errc::dims_malformed,
      "topology " + request.dims.text() + " has " +
          base::counted(request.dims.rank(), "dimension") + ", but those of " +
          std::string(generation.label) + " have " + std::to_string(generation.rank) +
          shape_advice(&generation,
                       has_nodes ? chips_per_host : generation.machine_types.front().chips_per_vm));
}

Error not_dividing(const SliceRequest& request, std::uint32_t chips_per_host,
                   const Generation* generation) {
  return Error(Errc::chips_not_dividing, "topology " + request.dims.text() + " is " +
                                             base::counted(request.dims.chips(), "chip") +
                                             " and cannot be split over Pods of " +
                                             base::counted(chips_per_host, "chip") +
                                             shape_advice(generation, chips_per_host));
}

Error bounds_not_dividing(const SliceRequest& request, const Bounds& bounds,
                          std::uint32_t chips_per_host, const Generation* generation) {
  unsigned axis = 0;
  while (request.dims.axis(axis) % bounds[axis] == 0) ++axis;
  return Error(Errc::bounds_not_dividing,
               "axis " + std::to_string(axis + 1) + " of topology " + request.dims.text() +
                   " is not a multiple of " + std::to_string(bounds[axis]) + " (" +
                   base::counted(request.chips_per_container, "chip") + " form " + text(bounds) +
                   ")" + shape_advice(generation, chips_per_host));
}

OtherChips other_chips(const Generation& generation, const Dims& dims,
                       std::uint32_t chips_per_host) {
  OtherChips others;
  std::array<std::uint32_t, 4> all{};
  const std::size_t known = chips_per_vm_of(generation, dims, all);
  for (std::size_t i = 0; i < known; ++i)
    if (all[i] != chips_per_host) others.chips[others.size++] = all[i];
  return others;
}

const Traits& traits(const Generation* generation, std::string_view accelerator) {
  return generation != nullptr ? generation->traits : traits_of(accelerator);
}

}  // namespace

std::string text(const Bounds& bounds) {
  return std::to_string(bounds[0]) + ',' + std::to_string(bounds[1]) + ',' +
         std::to_string(bounds[2]);
}

Bounds bounds_of_chips(std::uint64_t chips) {
  switch (chips) {
    case 1:
      return {1, 1, 1};
    case 2:
      return {1, 2, 1};
    case 4:
      return {2, 2, 1};
    case 8:
      return {2, 4, 1};
    default:
      return {0, 0, 0};
  }
}

Result<Slice> make_slice(const SliceRequest& request) {
  const Generation* generation = find_generation(request.accelerator);
  if (is_invalid(request)) return invalid_chips(request, generation);
  const auto chips_per_host =
      static_cast<std::uint32_t>(request.chips_per_container * request.containers_per_pod);
  if (generation != nullptr && request.dims.rank() != generation->rank)
    return wrong_rank(request, chips_per_host, *generation);
  const std::uint64_t chips = request.dims.chips();
  if (chips % chips_per_host != 0) return not_dividing(request, chips_per_host, generation);

  const Bounds bounds = bounds_of_chips(request.chips_per_container);
  if (!is_zero(bounds) && !request.dims.divisible_by(as_dims(bounds))) {
    return bounds_not_dividing(request, bounds, chips_per_host, generation);
  }

  // Dims::max_product keeps every quotient far below 32 bits.
  const auto hosts = static_cast<std::uint32_t>(chips / chips_per_host);
  const bool known = generation != nullptr && is_known(*generation, request.dims, chips_per_host);
  return Slice{
      .generation = generation,
      .accelerator = generation != nullptr ? generation->label : request.accelerator,
      .dims = request.dims,
      .chips = chips,
      .chips_per_host = chips_per_host,
      .hosts = hosts,
      .processes_per_host = request.containers_per_pod,
      .processes = hosts * request.containers_per_pod,
      .in_catalog = known,
      .traits = traits(generation, request.accelerator),
      .other_chips = known ? other_chips(*generation, request.dims, chips_per_host) : OtherChips{},
  };
}

Result<Slice> slice_of_hosts(std::string_view accelerator, std::uint32_t hosts,
                             std::uint64_t chips_per_container, std::uint32_t containers_per_pod) {
  const SliceRequest request{accelerator, {}, chips_per_container, containers_per_pod};
  const Generation* generation = find_generation(accelerator);
  if (is_invalid(request)) return invalid_chips(request, generation);
  const auto chips_per_host = static_cast<std::uint32_t>(chips_per_container * containers_per_pod);
  return Slice{
      .generation = generation,
      .accelerator = generation != nullptr ? generation->label : accelerator,
      .dims = {},
      .chips = std::uint64_t{hosts} * chips_per_host,
      .chips_per_host = chips_per_host,
      .hosts = hosts,
      .processes_per_host = containers_per_pod,
      .processes = hosts * containers_per_pod,
      .in_catalog = false,
      .traits = traits(generation, accelerator),
  };
}

Bounds Slice::chips_per_process_bounds() const {
  return bounds_of_chips(chips_per_host / processes_per_host);
}

Bounds Slice::host_bounds() const {
  const Bounds bounds = chips_per_process_bounds();
  if (is_zero(bounds)) return bounds;
  return {dims.axis(0) / bounds[0], dims.axis(1) / bounds[1], dims.axis(2) / bounds[2]};
}

std::array<bool, 3> Slice::wrap() const {
  const WrapRule rule = generation != nullptr ? generation->wrap : WrapRule::never;
  const std::array axes{dims.axis(0), dims.axis(1), dims.axis(2)};
  if (rule == WrapRule::axis_of_sixteen) return {axes[0] == 16, axes[1] == 16, axes[2] == 16};
  const bool all = rule == WrapRule::all_from_four && std::ranges::min(axes) >= 4;
  return {all, all, all};
}

std::uint64_t Slice::cores() const {
  return generation != nullptr ? chips * generation->cores_per_chip : chips;
}

std::string Slice::accelerator_type() const {
  if (generation != nullptr) {
    return std::string(generation->type_prefix) + '-' + std::to_string(cores());
  }
  // The device plugin assumes two cores for every generation it does not know.
  if (is_future_label(accelerator)) {
    return std::string(accelerator) + '-' + std::to_string(2 * chips);
  }
  return {};
}

}  // namespace tpuwh::topology
