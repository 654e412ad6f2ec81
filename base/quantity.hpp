// A Kubernetes quantity, taken apart: whoever needs a number makes it of the digits and the scale.
//   source  k8s.io/apimachinery pkg/api/resource, "Quantity"
#pragma once

#include <array>
#include <charconv>
#include <cstddef>
#include <optional>
#include <string_view>

namespace tpuwh::base {

// 10^tens * 2^twos.
struct QuantityScale {
  int tens = 0;
  int twos = 0;
};

// n u m, k M G T P E, Ki Mi Gi Ti Pi Ei, or e/E and a decimal exponent; nothing for another.
inline std::optional<QuantityScale> quantity_scale(std::string_view suffix) {
  struct Suffix {
    std::string_view text;
    QuantityScale scale;
  };
  static constexpr std::array suffixes{
      Suffix{"", {}},        Suffix{"n", {-9, 0}},  Suffix{"u", {-6, 0}},  Suffix{"m", {-3, 0}},
      Suffix{"k", {3, 0}},   Suffix{"M", {6, 0}},   Suffix{"G", {9, 0}},   Suffix{"T", {12, 0}},
      Suffix{"P", {15, 0}},  Suffix{"E", {18, 0}},  Suffix{"Ki", {0, 10}}, Suffix{"Mi", {0, 20}},
      Suffix{"Gi", {0, 30}}, Suffix{"Ti", {0, 40}}, Suffix{"Pi", {0, 50}}, Suffix{"Ei", {0, 60}},
  };
  for (const Suffix& known : suffixes)
    if (known.text == suffix) return known.scale;
  if (suffix.size() < 2 || (suffix.front() != 'e' && suffix.front() != 'E')) return std::nullopt;
  suffix.remove_prefix(1);
  if (suffix.size() > 1 && suffix.front() == '+' && suffix[1] != '-') suffix.remove_prefix(1);
  int exponent = 0;
  const auto [end, error] = std::from_chars(suffix.data(), suffix.data() + suffix.size(), exponent);
  if (error != std::errc() || end != suffix.data() + suffix.size()) return std::nullopt;
  return QuantityScale{exponent, 0};
}

struct Quantity {
  bool negative = false;
  std::string_view whole, fraction;  // digits before the point and behind it; at least one
  QuantityScale scale;
};

// [+-] digits [. digits] and a suffix; nothing for another text.
inline std::optional<Quantity> quantity(std::string_view text) {
  const auto take_digits = [&] {
    std::size_t end = 0;
    while (end < text.size() && text[end] >= '0' && text[end] <= '9') ++end;
    const std::string_view digits = text.substr(0, end);
    text.remove_prefix(end);
    return digits;
  };
  Quantity out;
  out.negative = text.starts_with('-');
  if (out.negative || text.starts_with('+')) text.remove_prefix(1);
  out.whole = take_digits();
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    out.fraction = take_digits();
  }
  const auto scale = quantity_scale(text);
  if (!scale || (out.whole.empty() && out.fraction.empty())) return std::nullopt;
  out.scale = *scale;
  return out;
}

}  // namespace tpuwh::base
