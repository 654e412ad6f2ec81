// What is done to a text, whatever it says.
#pragma once

#include <string>
#include <string_view>

namespace tpuwh::base {

// Without white space at both ends.
inline std::string_view trimmed(std::string_view text) {
  constexpr std::string_view white = " \t\r\n\v\f";
  const auto first = text.find_first_not_of(white);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(white) - first + 1);
}

// What is put in is not looked at again. `what` is not empty.
inline void replace_all(std::string& text, std::string_view what, std::string_view by) {
  for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size()))
    text.replace(at, what.size(), by);
}

}  // namespace tpuwh::base
