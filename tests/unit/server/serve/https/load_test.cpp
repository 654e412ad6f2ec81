#include "server/serve/https/load.hpp"

#include <gtest/gtest.h>

namespace tpuwh::server::https {
namespace {

TEST(QuotaTest, gives_all_or_nothing) {
  Quota quota(10);
  EXPECT_TRUE(quota.take(7));
  EXPECT_FALSE(quota.take(4));
  EXPECT_EQ(quota.used(), 7u);
  EXPECT_TRUE(quota.take(3));
  EXPECT_TRUE(quota.full());
}

TEST(QuotaTest, keeps_a_part_for_others) {
  Quota quota(10);
  EXPECT_FALSE(quota.take(8, 3));
  EXPECT_TRUE(quota.take(7, 3));
  EXPECT_FALSE(quota.take(1, 3));
  EXPECT_TRUE(quota.take(3));
  EXPECT_FALSE(Quota(1).take(1, 5));
}

TEST(QuotaTest, counts_what_is_forced_beyond_the_cap) {
  Quota quota(1);
  quota.force(2);
  EXPECT_TRUE(quota.full());
  quota.give_back(2);
  EXPECT_FALSE(quota.full());
}

TEST(ShareTest, gives_back_at_the_end_of_its_life) {
  Quota quota(10);
  {
    Share share(quota);
    EXPECT_TRUE(share.take(4));
    EXPECT_FALSE(share.take(7));
    EXPECT_EQ(share.held(), 4u);
    EXPECT_EQ(quota.used(), 4u);
  }
  EXPECT_EQ(quota.used(), 0u);
}

TEST(ShareTest, gives_back_once) {
  Quota quota(10);
  {
    Share share(quota);
    share.force(3);
    share.reset();
    EXPECT_EQ(quota.used(), 0u);
  }
  EXPECT_EQ(quota.used(), 0u);
}

}  // namespace
}  // namespace tpuwh::server::https
