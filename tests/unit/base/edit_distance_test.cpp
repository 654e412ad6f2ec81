#include "base/edit_distance.hpp"

#include <gtest/gtest.h>

namespace tpuwh::base {
namespace {

TEST(EditDistance, letters_that_are_put_in_left_out_or_replaced) {
  EXPECT_EQ(edit_distance("", ""), 0u);
  EXPECT_EQ(edit_distance("", "abc"), 3u);
  EXPECT_EQ(edit_distance("abc", ""), 3u);
  EXPECT_EQ(edit_distance("abc", "abd"), 1u);
  EXPECT_EQ(edit_distance("abc", "ac"), 1u);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
}

TEST(EditDistance, two_letters_that_changed_places_are_one) {
  EXPECT_EQ(edit_distance("ab", "ba"), 1u);
  EXPECT_EQ(edit_distance("enforce", "enfroce"), 1u);
  EXPECT_EQ(edit_distance("shadow", "shadwo"), 1u);
}

}  // namespace
}  // namespace tpuwh::base
