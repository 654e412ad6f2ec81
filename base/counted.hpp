// "1 host", "4 hosts": for messages.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tpuwh::base {

// "hosts", "processes", "entries", "gateways".
inline std::string plural(std::string_view thing) {
  constexpr std::string_view vowels = "aeiou";
  std::string text(thing);
  const bool ends_in_y = thing.size() > 1 && thing.ends_with('y') &&
                         vowels.find(thing[thing.size() - 2]) == std::string_view::npos;
  if (ends_in_y) text.replace(text.size() - 1, 1, "ie");
  return text + (thing.ends_with('s') || thing.ends_with('x') ? "es" : "s");
}

// `thing` is a noun with an ordinary plural.
inline std::string counted(std::uint64_t number, std::string_view thing) {
  return std::to_string(number) + ' ' + (number == 1 ? std::string(thing) : plural(thing));
}

}  // namespace tpuwh::base
