// Which accelerator a person means.
#pragma once

#include "base/result.hpp"
#include "topology/catalog.hpp"

#include <cstdint>
#include <optional>
#include <string_view>

namespace tpuwh::server::catalog {

struct Accelerator {
  const topology::Generation* generation;
  std::optional<std::uint64_t> cores;              // 16 where a type was named: "v6e-16"
  const topology::MachineType* machine = nullptr;  // where one was named
};

// By label, short name, product name, machine type or accelerator type, in any case and
// with any punctuation: tpu-v6e-slice, v6e, "TPU v6e", Trillium, ct6e-standard-4t, v6e-16.
//
//   errors  bad_value: nothing of that name; says which there are, and the one that is
//           nearly that
Result<Accelerator> find_accelerator(std::string_view text);

}  // namespace tpuwh::server::catalog
