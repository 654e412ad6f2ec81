#include "kubectl/text/rfc3339.hpp"

#include "tests/support/named_case.hpp"

#include <gtest/gtest.h>

namespace tpuwh::server::text {
namespace {

using std::chrono::system_clock;
using test::case_name;
using test::PrintTo;

struct Moment {
  const char* name;
  const char* text;
  std::optional<long> want;
};

class Rfc3339 : public testing::TestWithParam<Moment> {};

TEST_P(Rfc3339, is_read_as_seconds) {
  const auto time = parse_time(GetParam().text);
  ASSERT_EQ(time.has_value(), GetParam().want.has_value());
  if (time) {
    EXPECT_EQ(system_clock::to_time_t(*time), *GetParam().want);
  }
}

constexpr Moment moments[] = {
    {"utc", "2026-11-20T10:00:00Z", 1795168800},
    {"parts", "2026-11-20T10:00:00.123456789Z", 1795168800},
    {"east", "2026-11-20T11:30:00+01:30", 1795168800},
    {"west", "2026-11-20T02:00:00-08:00", 1795168800},
    {"never", "9999-12-31T23:59:59Z", 9223372036},  // the clock's last second
    {"the_last", "2262-04-11T23:47:16Z", 9223372036},
    {"after_the_last", "2262-04-11T23:47:17Z", 9223372036},
    {"before_the_last", "2262-04-11T23:47:15Z", 9223372035},
    {"year_0", "0000-01-01T00:00:00Z", -9223372036},
    {"far_west", "9999-12-31T23:59:59-99:59", 9223372036},
    {"leap_day", "2028-02-29T00:00:00Z", 1835395200},
    {"no_leap_day", "2027-02-29T00:00:00Z", {}},
    {"no_zone", "2026-11-20T10:00:00", {}},
    {"date", "2026-11-20", {}},
    {"hour_24", "2026-11-20T24:00:00Z", {}},
    {"more", "2026-11-20T10:00:00Zx", {}},
    {"signs", "2026--1-20T10:00:00Z", {}},
    {"empty", "", {}},
};
INSTANTIATE_TEST_SUITE_P(Moments, Rfc3339, testing::ValuesIn(moments), case_name);

}  // namespace
}  // namespace tpuwh::server::text
