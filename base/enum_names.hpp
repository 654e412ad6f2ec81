// A text for each value of an enum, in the order of the enum.
//
//   constexpr base::EnumNames<Level::error> names("debug", "info", "warn", "error");
//   names[Level::info]  // "info"
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace tpuwh::base {

// `last`: the last value of the enum. Another number of texts is not compiled.
template <auto last>
class EnumNames {
 public:
  template <class... Texts>
  constexpr explicit EnumNames(const Texts&... texts) : texts_{texts...} {
    static_assert(sizeof...(texts) == static_cast<std::size_t>(last) + 1);
  }
  constexpr std::string_view operator[](decltype(last) value) const {
    return texts_[static_cast<std::size_t>(value)];
  }

 private:
  std::array<std::string_view, static_cast<std::size_t>(last) + 1> texts_;
};

}  // namespace tpuwh::base
