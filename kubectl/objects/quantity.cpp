#include "kubectl/objects/quantity.hpp"

#include "base/quantity.hpp"
#include "server/text/json_text.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

namespace tpuwh::server::objects {

namespace {

// Infinite where it is too large.
long double value_of(const base::Quantity& quantity) {
  long double value = 0, unit = 1;
  for (const char digit : quantity.whole)
    value = value * 10 + static_cast<long double>(digit - '0');
  for (const char digit : quantity.fraction) {
    value = value * 10 + static_cast<long double>(digit - '0');
    unit *= 10;
  }
  if (!std::isfinite(unit)) return unit;
  const long double scale = std::pow(10.0L, static_cast<long double>(quantity.scale.tens));
  return value / unit * std::ldexp(scale, quantity.scale.twos) * (quantity.negative ? -1 : 1);
}

std::int64_t round_up(long double value) {
  constexpr auto most = std::numeric_limits<std::int64_t>::max();
  // A thousandth of 1e-3 is lost where "0.001k" is taken apart; a quantity has no smaller part.
  const long double whole = std::ceil(value - 1e-10L);
  if (whole >= 9223372036854775807.0L) return most;
  return whole <= -9223372036854775807.0L ? -most : static_cast<std::int64_t>(whole);
}

}  // namespace

std::optional<Quantity> parse_quantity(std::string_view text) {
  const auto quantity = base::quantity(text);
  if (!quantity || std::abs(quantity->scale.tens) > 1000) return std::nullopt;
  const long double value = value_of(*quantity);
  if (!std::isfinite(value)) return std::nullopt;
  return Quantity{round_up(value), static_cast<double>(value)};
}

std::optional<Quantity> quantity_of(const Json* value) {
  if (value == nullptr) return std::nullopt;
  if (value->is_string()) return parse_quantity(value->get_ref<const std::string&>());
  return value->is_number() ? parse_quantity(text::dump_json(*value)) : std::nullopt;
}

std::string go_number(double value) {
  constexpr double exact = 1e15;
  if (value == std::floor(value) && std::abs(value) < exact)
    return std::to_string(static_cast<std::int64_t>(value));
  return fmt::format("{}", value);
}

}  // namespace tpuwh::server::objects
