#include "base/counted.hpp"

#include <gtest/gtest.h>

namespace tpuwh::base {
namespace {

TEST(Counted, thing_or_things) {
  EXPECT_EQ(counted(1, "chip"), "1 chip");
  EXPECT_EQ(counted(0, "chip"), "0 chips");
  EXPECT_EQ(counted(2, "process"), "2 processes");
  EXPECT_EQ(counted(2, "box"), "2 boxes");
  EXPECT_EQ(counted(2, "entry"), "2 entries");
  EXPECT_EQ(counted(2, "gateway"), "2 gateways");
}

TEST(Counted, letters_are_things) {
  EXPECT_EQ(plural("y"), "ys");
  EXPECT_EQ(plural("fy"), "fies");
}

}  // namespace
}  // namespace tpuwh::base
