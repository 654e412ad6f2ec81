// Cases of a table: a struct with a `name` and whatever it needs. A test file says
//
//   using test::case_name;
//   using test::PrintTo;
//
// in the namespace of its structs, so that GoogleTest prints and lists the names.
#pragma once

#include <concepts>
#include <ostream>
#include <string>
#include <string_view>

namespace tpuwh::test {

template <class Case>
concept Named = requires(const Case& c) {
  { c.name } -> std::convertible_to<std::string_view>;
};

template <Named Case>
void PrintTo(const Case& c, std::ostream* out) {
  *out << std::string_view(c.name);
}

inline constexpr auto case_name = [](const auto& info) { return std::string(info.param.name); };

}  // namespace tpuwh::test
