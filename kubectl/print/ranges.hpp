// Sorted numbers as people write them: "0-3", "3,5-7", "" for none.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace tpuwh::server::print {

inline std::string as_ranges(std::span<const std::uint32_t> numbers) {
  std::string out;
  for (std::size_t i = 0; i < numbers.size();) {
    std::size_t last = i;
    while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1) ++last;
    if (!out.empty()) out += ',';
    out += std::to_string(numbers[i]);
    if (last > i) out += '-' + std::to_string(numbers[last]);
    i = last + 1;
  }
  return out;
}

}  // namespace tpuwh::server::print
