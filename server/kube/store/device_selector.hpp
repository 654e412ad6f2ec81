// What a CEL selector of a resource claim says of the chips that it leaves.
#pragma once

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

  bool operator==(const SelectedChips&) const = default;
};

// Adds what an expression requires. Read is a conjunction of comparisons as the driver's pages
// write them, device.attributes["tpu.google.com"].topology == "2x4"; whatever else stands beside
// them narrows further and is passed over, and of an expression with || or ?: nothing is believed.
//
//   source  README.md of dra-driver-google-tpu f5a9d8c, "Device attributes"; docs/facts.md#dra
void add_selected(std::string_view expression, SelectedChips& out);

}  // namespace tpuwh::server::kube::store
