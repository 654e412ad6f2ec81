#include "server/serve/https/folded_line.hpp"

#include <gtest/gtest.h>

#include <string>

namespace tpuwh::server::https {
namespace {

// Every text of so many of these letters, which has all of its parts, too.
TEST(FoldedLine, is_one_that_begins_with_a_blank) {
  const std::string letters = "\n\r \tx";
  for (int number = 0; number < 5 * 5 * 5 * 5 * 5 * 5; ++number) {
    std::string text;
    for (int left = number; left > 0; left /= 5) text += letters[left % 5];
    const bool want = text.find("\n ") != text.npos || text.find("\n\t") != text.npos;
    ASSERT_EQ(has_folded_line(text), want) << testing::PrintToString(text);
  }
}

}  // namespace
}  // namespace tpuwh::server::https
