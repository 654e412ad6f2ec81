// "1 host", "4 hosts": for messages.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tpuwh::topology {

// `thing` is a noun whose plural ends in "s": "hosts", "processes".
inline std::string counted(std::uint64_t number, std::string_view thing) {
  std::string text = std::to_string(number) + ' ';
  text += thing;
  if (number != 1) text += thing.ends_with('s') ? "es" : "s";
  return text;
}

}  // namespace tpuwh::topology
