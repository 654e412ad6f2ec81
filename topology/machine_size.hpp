// How much of a machine is beside its chips.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace tpuwh::topology {

// In all: a node gives Pods less, since some is kept for the system.
//
//   source  tpu-catalog.json, "vcpus" and "memory_gb"; the documents' number where two differ
struct MachineSize {
  std::string_view name;  // "ct6e-standard-4t"
  std::uint32_t vcpus;
  std::uint32_t memory_gb;
};

// Nothing for a machine type that the catalog does not know.
std::optional<MachineSize> size_of(std::string_view machine_type);

}  // namespace tpuwh::topology
