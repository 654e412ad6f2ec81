#include "webhook/ledger/token.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "base/names.hpp"

namespace tpuwh::webhook::ledger {
namespace {

using topology::Place;

TEST(Token, says_the_place_and_is_a_label_value) {
  for (const Place place : {Place{0, 0}, Place{7, 63}, Place{most_places - 1, most_places - 1}}) {
    const std::string made = make_token(place, "705ab4f5-6393-11e8-b7cc-42010a800002");
    EXPECT_EQ(place_of_token(made), place) << made;
    EXPECT_TRUE(base::is_label_value(made)) << made;
  }
}

TEST(Token, differs_by_review) {
  EXPECT_NE(make_token({0, 0}, "a"), make_token({0, 0}, "b"));
  EXPECT_EQ(make_token({0, 0}, "a"), make_token({0, 0}, "a"));
}

TEST(Token, anything_else_is_none) {
  for (const char* text :
       {"", "-", "--", "1-2", "1-2-", "1-2-0123456789abcde", "1-2-0123456789abcdef0",
        "1-2-0123456789ABCDEF", "01-2-0123456789abcdef", "-1-2-0123456789abcdef",
        "1-2-3-0123456789abcdef", "4294967296-0-0123456789abcdef", "a-b-0123456789abcdef"})
    EXPECT_FALSE(place_of_token(text)) << text;
}

// Each character on both sides of what a digit may be.
TEST(Token, has_sixteen_small_hexadecimal_digits) {
  for (const char c : {'/', '0', '9', ':', '`', 'a', 'f', 'g', 'A', 'F'}) {
    const bool digit = std::string_view("09af").find(c) != std::string_view::npos;
    EXPECT_EQ(place_of_token("1-2-012345678abcdef" + std::string(1, c)).has_value(), digit) << c;
  }
  EXPECT_EQ(token_mark("a").size(), 16u);
}

// Anybody may give a Pod such a label; a loop over host 4,294,967,295 took 5.8 s.
TEST(Token, of_a_place_that_no_ledger_gives_is_none) {
  for (const Place place : {Place{0, most_places}, Place{most_places, 0}, Place{0, 4294967295u},
                            Place{4294967295u, 0}}) {
    const std::string made = make_token(place, "705ab4f5-6393-11e8-b7cc-42010a800002");
    EXPECT_FALSE(place_of_token(made)) << made;
    EXPECT_EQ(parse_token(made), place) << made;  // as a record's reader sees it
  }
}

}  // namespace
}  // namespace tpuwh::webhook::ledger
