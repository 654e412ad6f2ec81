#include "server/text/visible.hpp"

#include <gtest/gtest.h>

#include <string>

namespace tpuwh::server::text {
namespace {

using namespace std::string_literals;

TEST(VisibleText, is_what_it_was_where_all_of_it_is_seen) {
  EXPECT_EQ(visible("train-0.svc,<b>\"é…✓\""), "train-0.svc,<b>\"é…✓\"");
}

TEST(VisibleText, spells_what_a_terminal_obeys) {
  EXPECT_EQ(visible("\033[2J\a\r\n\0"s), "\\u001b[2J\\u0007\\r\\n\\u0000");
  EXPECT_EQ(visible("\xc2\x9b"), "\\u009b");  // CSI of eight bits
}

TEST(VisibleText, spells_what_moves_or_hides_other_text) {
  EXPECT_EQ(visible("a\u202eb\u200bc\ufeffd"), "a\\u202eb\\u200bc\\ufeffd");
  EXPECT_EQ(visible("\U0001bca0\U0001bca3"), "\\U0001bca0\\U0001bca3");  // of shorthand
  EXPECT_EQ(visible("\U0001d173\U0001d17a"), "\\U0001d173\\U0001d17a");  // of music
}

TEST(VisibleText, keeps_line_ends_where_they_are_wanted) {
  EXPECT_EQ(visible("a\nb\r", true), "a\nb\\r");
}

TEST(VisibleText, replaces_what_is_no_utf_8) {
  EXPECT_EQ(visible("a\xff\xc0\x80z"), "a\ufffd\ufffd\ufffdz");
  EXPECT_EQ(visible("\xed\xa0\x80"), "\ufffd\ufffd\ufffd");  // half of a surrogate pair
  EXPECT_EQ(visible("\xe2\x9c"), "\ufffd\ufffd");            // cut off
}

}  // namespace
}  // namespace tpuwh::server::text
