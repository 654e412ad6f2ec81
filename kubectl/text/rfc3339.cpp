#include "kubectl/text/rfc3339.hpp"

#include <algorithm>
#include <charconv>

namespace tpuwh::server::text {

namespace {

// Exactly `digits` digits at the front, taken off.
std::optional<int> take_number(std::string_view& text, std::size_t digits) {
  int number = 0;
  const char* end = text.data() + std::min(digits, text.size());
  const auto [at, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || text.size() < digits || at != end || text.front() == '-')
    return std::nullopt;
  text.remove_prefix(digits);
  return number;
}

bool take(std::string_view& text, char c) {
  if (text.empty() || text.front() != c) return false;
  text.remove_prefix(1);
  return true;
}

// "Z" or "+01:30" to the end of the text.
std::optional<std::chrono::minutes> take_offset(std::string_view text) {
  if (text == "Z" || text == "z") return std::chrono::minutes(0);
  const bool west = text.starts_with('-');
  if (!take(text, '+') && !take(text, '-')) return std::nullopt;
  const auto hours = take_number(text, 2);
  if (!hours || !take(text, ':')) return std::nullopt;
  const auto minutes = take_number(text, 2);
  if (!minutes || !text.empty()) return std::nullopt;
  return std::chrono::minutes((west ? -1 : 1) * (*hours * 60 + *minutes));
}

}  // namespace

std::optional<std::chrono::system_clock::time_point> parse_time(std::string_view text) {
  using namespace std::chrono;
  const auto y = take_number(text, 4);
  if (!y || !take(text, '-')) return std::nullopt;
  const auto m = take_number(text, 2);
  if (!m || !take(text, '-')) return std::nullopt;
  const auto d = take_number(text, 2);
  if (!d || (!take(text, 'T') && !take(text, 't'))) return std::nullopt;
  const auto hour = take_number(text, 2);
  if (!hour || !take(text, ':')) return std::nullopt;
  const auto minute = take_number(text, 2);
  if (!minute || !take(text, ':')) return std::nullopt;
  const auto second = take_number(text, 2);
  if (!second) return std::nullopt;
  if (take(text, '.'))
    text.remove_prefix(std::min(text.find_first_not_of("0123456789"), text.size()));
  const auto offset = take_offset(text);
  const year_month_day date(year(*y), month(static_cast<unsigned>(*m)),
                            day(static_cast<unsigned>(*d)));
  if (!offset || !date.ok() || *hour > 23 || *minute > 59 || *second > 60) return std::nullopt;
  const sys_seconds moment =
      sys_days(date) + hours(*hour) + minutes(*minute) + seconds(*second) - *offset;
  // The clock's nanoseconds end in 2262 and begin in 1677. What lies beyond is as far as can be
  // said: 9999-12-31, which some print for "never", was a moment of 1816.
  using Clock = system_clock;
  constexpr auto first = ceil<seconds>(Clock::time_point::min());
  constexpr auto last = floor<seconds>(Clock::time_point::max());
  return Clock::time_point(std::clamp(moment, first, last));
}

}  // namespace tpuwh::server::text
