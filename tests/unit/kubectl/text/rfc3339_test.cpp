#include "kubectl/text/rfc3339.hpp"

#include <gtest/gtest.h>

namespace tpuwh::server::text {
namespace {

using std::chrono::system_clock;

TEST(Rfc3339, is_read_as_seconds) {
  const std::pair<const char*, std::optional<long>> cases[] = {
      {"2026-11-20T10:00:00Z", 1795168800},
      {"2026-11-20T10:00:00.123456789Z", 1795168800},
      {"2026-11-20T11:30:00+01:30", 1795168800},
      {"2026-11-20T02:00:00-08:00", 1795168800},
      {"9999-12-31T23:59:59Z", 9223372036},  // the clock's last second
      {"2262-04-11T23:47:16Z", 9223372036},
      {"2262-04-11T23:47:17Z", 9223372036},
      {"2262-04-11T23:47:15Z", 9223372035},
      {"0000-01-01T00:00:00Z", -9223372036},
      {"9999-12-31T23:59:59-99:59", 9223372036},
      {"2028-02-29T00:00:00Z", 1835395200},
      {"2027-02-29T00:00:00Z", {}},
      {"2026-11-20T10:00:00", {}},
      {"2026-11-20", {}},
      {"2026-11-20T24:00:00Z", {}},
      {"2026-11-20T10:00:00Zx", {}},
      {"2026--1-20T10:00:00Z", {}},
      {"", {}},
  };
  for (const auto& [text, want] : cases) {
    SCOPED_TRACE(text);
    const auto time = parse_time(text);
    ASSERT_EQ(time.has_value(), want.has_value());
    if (time) {
      EXPECT_EQ(system_clock::to_time_t(*time), *want);
    }
  }
}

}  // namespace
}  // namespace tpuwh::server::text
