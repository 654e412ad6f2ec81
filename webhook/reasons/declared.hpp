// Which row of the declared patch surface (write/surface.hpp) allows an operation, for explanations
// and tests: whoever writes a patch names its row, and asks nobody.
#pragma once

#include "webhook/write/surface.hpp"

#include <optional>
#include <string_view>

namespace tpuwh::webhook::reasons {

// "add", "replace", "remove"; nothing for another.
std::optional<write::PatchOp> op_of(std::string_view name);

// Whether `row` allows `op` on `path`. `escaped_prefix` is the prefix as it stands in a pointer
// ("tpu-webhook.dev~1").
bool allows(const write::SurfaceRow& row, write::PatchOp op, std::string_view path,
            std::string_view escaped_prefix);

// The row that allows it, or null. Likewise.
const write::SurfaceRow* find_row(write::PatchOp op, std::string_view path,
                                  std::string_view escaped_prefix);

}  // namespace tpuwh::webhook::reasons
