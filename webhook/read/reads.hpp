// What the program reads, in the form of the patch surface: review fields, cluster
// objects, files. For the security reviewer; printed by `tpu-webhook rules`.
#pragma once

#include <span>
#include <string_view>

namespace tpuwh::webhook::read {

struct ReadRow {
  std::string_view where;  // "review", "Pod", "file"
  std::string_view what;
  std::string_view why;
};

std::span<const ReadRow> reads();

}  // namespace tpuwh::webhook::read
