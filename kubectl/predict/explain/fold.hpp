// Long lists by their ends.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <span>
#include <string>

namespace tpuwh::server::explain {

// "a, b, c"; of more than `most` "a … z (200)".
inline std::string folded(std::span<const std::string> texts, std::size_t most = 3) {
  if (texts.size() > most)
    return fmt::format("{} … {} ({})", texts.front(), texts.back(), texts.size());
  std::string out;
  for (const std::string& text : texts) out += (out.empty() ? "" : ", ") + text;
  return out;
}

// A long value by its beginning and its length.
inline std::string shortened(const std::string& text, std::size_t most) {
  if (text.size() <= most) return text;
  return fmt::format("{}… ({} bytes)", text.substr(0, most), text.size());
}

}  // namespace tpuwh::server::explain
