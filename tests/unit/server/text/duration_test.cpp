#include "server/text/duration.hpp"

#include "tests/support/named_case.hpp"

#include <gtest/gtest.h>

namespace tpuwh::server::text {
namespace {

using namespace std::chrono_literals;
using test::case_name;
using test::PrintTo;

struct DurationCase {
  const char* name;
  const char* text;
  std::optional<std::chrono::milliseconds> want;
};

class DurationTest : public testing::TestWithParam<DurationCase> {};

TEST_P(DurationTest, reads_or_refuses) {
  EXPECT_EQ(parse_duration(GetParam().text), GetParam().want);
}

INSTANTIATE_TEST_SUITE_P(
    table, DurationTest,
    testing::Values(DurationCase{.name = "seconds", .text = "10s", .want = 10s},
                    DurationCase{.name = "minutes_and_seconds", .text = "1m30s", .want = 90s},
                    DurationCase{.name = "as_go_prints_a_minute", .text = "1m0s", .want = 60s},
                    DurationCase{.name = "milliseconds", .text = "250ms", .want = 250ms},
                    DurationCase{.name = "fraction", .text = "1.5s", .want = 1500ms},
                    DurationCase{.name = "microseconds_do_not_count", .text = "900us", .want = 0ms},
                    DurationCase{.name = "zero", .text = "0", .want = 0ms},
                    DurationCase{.name = "zero_with_unit", .text = "0s", .want = 0ms},
                    DurationCase{.name = "a_day", .text = "24h", .want = 24h},
                    DurationCase{.name = "more_than_a_day", .text = "25h", .want = std::nullopt},
                    DurationCase{
                        .name = "huge", .text = "99999999999999999999999h", .want = std::nullopt},
                    DurationCase{.name = "empty", .text = "", .want = std::nullopt},
                    DurationCase{.name = "no_unit", .text = "10", .want = std::nullopt},
                    DurationCase{.name = "no_number", .text = "s", .want = std::nullopt},
                    DurationCase{.name = "negative", .text = "-1s", .want = std::nullopt},
                    DurationCase{.name = "two_points", .text = "1.2.3s", .want = std::nullopt},
                    DurationCase{.name = "unknown_unit", .text = "3d", .want = std::nullopt},
                    DurationCase{.name = "infinity", .text = "infs", .want = std::nullopt},
                    DurationCase{.name = "exponent", .text = "1e3s", .want = std::nullopt},
                    DurationCase{.name = "blank", .text = "1 s", .want = std::nullopt}),
    case_name);

}  // namespace
}  // namespace tpuwh::server::text
