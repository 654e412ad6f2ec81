// The names of accelerators, as people write them.
#pragma once

#include "topology/catalog.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace tpuwh::topology {

struct AcceleratorName {
  std::string key;  // accelerator_key()
  const Generation* generation;
  const MachineType* machine = nullptr;  // where it is the name of one
};

// "TPU v6e", "tpu-v6e" and "V6E" are one name: "v6e".
std::string accelerator_key(std::string_view text);

// Every label, short name, product name, machine type and prefix of accelerator types, the more
// particular first: v3 is the prefix of two labels, and an alias of one.
std::vector<AcceleratorName> accelerator_names();

// The one of which a name begins like `text`, else takes the fewest changed letters. Null where
// none is near.
const Generation* nearest_accelerator(std::string_view text);

}  // namespace tpuwh::topology
