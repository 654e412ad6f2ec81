#include "server/text/duration.hpp"

#include <array>
#include <charconv>
#include <utility>

namespace tpuwh::server::text {
namespace {

constexpr double most_milliseconds = 24 * 60 * 60 * 1000.0;

// Longer names first: "ms" starts with "m".
constexpr std::array<std::pair<std::string_view, double>, 6> units = {{
    {"ns", 1e-6},
    {"us", 1e-3},
    {"ms", 1.0},
    {"s", 1e3},
    {"m", 60e3},
    {"h", 3600e3},
}};

// Takes one unit off the front of `text`; 0 if there is none.
double take_unit(std::string_view& text) {
  for (const auto& [name, milliseconds] : units) {
    if (!text.starts_with(name)) continue;
    text.remove_prefix(name.size());
    return milliseconds;
  }
  return 0;
}

// Takes "12" or "1.5" off the front of `text`. No sign, exponent, inf or nan.
std::optional<double> take_number(std::string_view& text) {
  const auto digits = text.substr(0, text.find_first_not_of("0123456789."));
  double value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  text.remove_prefix(digits.size());
  return value;
}

}  // namespace

std::optional<std::chrono::milliseconds> parse_duration(std::string_view text) {
  if (text == "0") return std::chrono::milliseconds(0);
  if (text.empty()) return std::nullopt;
  double total = 0;
  while (!text.empty()) {
    const auto number = take_number(text);
    if (!number) return std::nullopt;
    const double unit = take_unit(text);
    if (unit == 0) return std::nullopt;
    total += *number * unit;
    if (!(total <= most_milliseconds)) return std::nullopt;
  }
  return std::chrono::milliseconds(static_cast<std::chrono::milliseconds::rep>(total));
}

}  // namespace tpuwh::server::text
