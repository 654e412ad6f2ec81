// What CEL selectors of a resource claim or a device class say of the chips that they leave.
#pragma once

#include "base/json/reader.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tpuwh::server::kube::store {

// Attributes of the TPU DRA driver's devices that are asked for; what is not is empty.
struct SelectedChips {
  std::string accelerator = {};                  // "tpu-v6e-slice", as GKE's node label has it
  std::string topology = {};                     // "2x4", likewise
  std::optional<std::uint32_t> chip_count = {};  // of a node
  bool of_driver = false;                        // only the TPU DRA driver's devices are left
  bool names_driver = false;                     // the driver's name stands in it, read or not

  bool operator==(const SelectedChips&) const = default;
};

// Adds what an expression requires. Read is a conjunction of comparisons as the driver's pages
// write them, device.attributes["tpu.google.com"].topology == "2x4", and as its DeviceClass does,
// device.driver == "tpu.google.com"; whatever else stands beside them narrows further and is passed
// over, and of an expression with || or ?: nothing is believed.
//
//   source  README.md of dra-driver-google-tpu f5a9d8c, "Device attributes", and deviceclass.yaml
//   of
//           its chart; docs/facts.md#dra
void add_selected(std::string_view expression, SelectedChips& out);

// Reads a list of DeviceSelector.
bool read_selectors(base::json::Reader& in, SelectedChips& out);

}  // namespace tpuwh::server::kube::store
