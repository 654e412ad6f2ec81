#include "server/serve/https/date.hpp"

#include <fmt/format.h>

namespace tpuwh::server::https {

void Date::set(std::chrono::system_clock::time_point now) {
  using namespace std::chrono;
  constexpr std::array days = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  constexpr std::array months = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                 "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const auto second = floor<seconds>(now);
  if (second == written_) return;
  written_ = second;
  const auto day = floor<std::chrono::days>(second);
  const year_month_day date(day);
  const hh_mm_ss time(second - day);
  // A year beyond 9999 has no such text; a clock that says so is wrong anyway.
  fmt::format_to_n(text_.data(), text_.size(), "{}, {:02} {} {:04} {:02}:{:02}:{:02} GMT",
                   days[weekday(day).c_encoding()], unsigned{date.day()},
                   months[unsigned{date.month()} - 1], int{date.year()}, time.hours().count(),
                   time.minutes().count(), time.seconds().count());
}

}  // namespace tpuwh::server::https
