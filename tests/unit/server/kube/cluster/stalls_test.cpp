#include "server/kube/cluster/stalls.hpp"

#include <gtest/gtest.h>

namespace tpuwh::server::kube::cluster {
namespace {

using namespace std::chrono_literals;
using webhook::ledger::given_place;
using webhook::ledger::no_place_left;
using webhook::ledger::try_again;

const store::GroupName first{"ns", "c", "uid", "g"}, second{"ns", "c", "uid", "h"};

class StallsTest : public testing::Test {
 protected:
  Stalls stalls{{.memory = 120s, .most = 2}};
  net::TimePoint now{1h};
};

TEST_F(StallsTest, nobody_waits) {
  EXPECT_EQ(stalls.longest(now), 0s);
}

TEST_F(StallsTest, a_503_ends_the_request_and_not_the_wait) {
  for (int i = 0; i < 10; ++i, now += 7s) {
    stalls.asked(first, now);
    stalls.answered(first, try_again("no answer in time"));
  }
  EXPECT_EQ(stalls.longest(now), 70s);
}

TEST_F(StallsTest, a_place_ends_it_for_its_group_alone) {
  stalls.asked(first, now);
  stalls.asked(second, now + 10s);
  stalls.answered(first, given_place({0, 0}, "0-0-00000000000000aa"));
  EXPECT_EQ(stalls.longest(now + 20s), 10s);
}

TEST_F(StallsTest, a_full_group_does_not_wait_for_the_ledger) {
  stalls.asked(first, now);
  stalls.answered(first, no_place_left({4, 0, 8}, "g"));
  EXPECT_EQ(stalls.longest(now + 20s), 0s);
}

TEST_F(StallsTest, who_does_not_ask_again_has_given_up) {
  stalls.asked(first, now);
  EXPECT_EQ(stalls.longest(now + 120s), 120s);
  EXPECT_EQ(stalls.longest(now + 121s), 0s);
}

TEST_F(StallsTest, remembers_so_many_groups) {
  stalls.asked(first, now);
  stalls.asked(second, now);
  stalls.asked({"ns", "c", "uid", "i"}, now - 1h);
  EXPECT_EQ(stalls.longest(now), 0s);
}

}  // namespace
}  // namespace tpuwh::server::kube::cluster
