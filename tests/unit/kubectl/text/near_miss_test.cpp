#include "kubectl/text/near_miss.hpp"
#include "tests/support/named_case.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace tpuwh::server::text {
namespace {

using test::case_name;
using test::PrintTo;

struct Case {
  const char* name;
  const char* typed;
  const char* want;
};
class NearMissTest : public testing::TestWithParam<Case> {};

TEST_P(NearMissTest, finds_the_nearest) {
  const std::vector<std::string> names = {"listen", "drain.delay", "tls.hostnames", "log", "job"};
  EXPECT_EQ(closest(GetParam().typed, names), GetParam().want);
}

INSTANTIATE_TEST_SUITE_P(table, NearMissTest,
                         testing::Values(Case{"left_out", "listn", "listen"},
                                         Case{"swapped", "lsiten", "listen"},
                                         Case{"signs_do_not_count", "drain_delay", "drain.delay"},
                                         Case{"case_does_not_count", "drainDelay", "drain.delay"},
                                         Case{"singular", "tls-hostname", "tls.hostnames"},
                                         Case{"one_of_three_letters", "jbo", "job"},
                                         Case{"too_far", "placement", ""},
                                         Case{"another_word", "cat", ""}, Case{"nothing", "", ""}),
                         case_name);

TEST(NearMissTest, does_not_measure_endless_names) {
  EXPECT_EQ(closest(std::string(1 << 20, 'l'), std::vector<std::string>{"listen"}), "");
}

}  // namespace
}  // namespace tpuwh::server::text
