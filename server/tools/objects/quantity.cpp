#include "server/tools/objects/quantity.hpp"

#include "base/quantity_scale.hpp"
#include "server/text/json_text.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <limits>

namespace tpuwh::server::objects {

namespace {

std::optional<long double> scale_of(std::string_view suffix) {
  const auto scale = base::quantity_scale(suffix);
  if (!scale || std::abs(scale->tens) > 1000) return std::nullopt;
  return std::ldexp(std::pow(10.0L, static_cast<long double>(scale->tens)), scale->twos);
}

// Digits with at most one point, of which there is a digit.
std::optional<long double> digits_of(std::string_view digits) {
  long double value = 0, unit = 1;
  bool fraction = false, any = false;
  for (const char c : digits) {
    if (c == '.') {
      if (fraction) return std::nullopt;
      fraction = true;
      continue;
    }
    any = true;
    value = value * 10 + static_cast<long double>(c - '0');
    if (fraction) unit *= 10;
  }
  if (!any || !std::isfinite(value) || !std::isfinite(unit)) return std::nullopt;
  return value / unit;
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
  const bool negative = !text.empty() && text.front() == '-';
  if (!text.empty() && (text.front() == '-' || text.front() == '+')) text.remove_prefix(1);
  const auto end = std::min(text.find_first_not_of("0123456789."), text.size());
  const auto digits = digits_of(text.substr(0, end));
  const auto scale = scale_of(text.substr(end));
  if (!digits || !scale) return std::nullopt;
  const long double value = *digits * *scale * (negative ? -1 : 1);
  if (!std::isfinite(value)) return std::nullopt;
  return Quantity{round_up(value), static_cast<double>(value)};
}

std::optional<Quantity> quantity_of(const nlohmann::ordered_json* value) {
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
