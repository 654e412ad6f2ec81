#include "base/quantity.hpp"

#include <gtest/gtest.h>

#include <string>

namespace tpuwh::base {
namespace {

struct Case {
  const char* text;
  bool negative;
  const char *whole, *fraction;
  int tens, twos;
};

TEST(Quantity, is_taken_apart) {
  for (const Case& each :
       {Case{"4", false, "4", "", 0, 0}, Case{"+4.", false, "4", "", 0, 0},
        Case{"-0.50m", true, "0", "50", -3, 0}, Case{".5Gi", false, "", "5", 0, 30},
        Case{"1E", false, "1", "", 18, 0}, Case{"1E+3", false, "1", "", 3, 0},
        Case{"12e-7", false, "12", "", -7, 0}}) {
    const auto got = quantity(each.text);
    ASSERT_TRUE(got) << each.text;
    EXPECT_EQ(got->negative, each.negative) << each.text;
    EXPECT_EQ(got->whole, each.whole) << each.text;
    EXPECT_EQ(got->fraction, each.fraction) << each.text;
    EXPECT_EQ(got->scale.tens, each.tens) << each.text;
    EXPECT_EQ(got->scale.twos, each.twos) << each.text;
  }
}

TEST(Quantity, is_none) {
  for (const char* text : {"", "-", "+", ".", "--4", "4 ", " 4", "1.2.3", "4x", "4mi", "4e", "4e+",
                           "4e+-1", "e3", "0x4", "4Ki2"})
    EXPECT_FALSE(quantity(text)) << text;
}

}  // namespace
}  // namespace tpuwh::base
