// A sentence of its parts.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>

namespace tpuwh::base {

// With one allocation: what is said of each of many templates is not put together by `+`.
inline std::string concat(std::initializer_list<std::string_view> parts) {
  std::size_t size = 0;
  for (const std::string_view part : parts) size += part.size();
  std::string all(size, '\0');
  char* to = all.data();
  for (const std::string_view part : parts) to += part.copy(to, part.size());
  return all;
}

}  // namespace tpuwh::base
