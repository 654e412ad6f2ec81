// Colour for people: only where the output is a terminal.
#pragma once

#include <string>
#include <string_view>

namespace tpuwh::server::text {

enum class Ink { plain, red, green, yellow, blue, cyan, bold, dim };

inline std::string paint(std::string_view text, Ink ink, bool colour) {
  if (!colour || ink == Ink::plain) return std::string(text);
  const char* code = ink == Ink::red      ? "31"
                     : ink == Ink::green  ? "32"
                     : ink == Ink::yellow ? "33"
                     : ink == Ink::blue   ? "34"
                     : ink == Ink::cyan   ? "36"
                     : ink == Ink::bold   ? "1"
                                          : "2";
  return "\033[" + std::string(code) + 'm' + std::string(text) + "\033[0m";
}

}  // namespace tpuwh::server::text
