#include "server/kube/decode/value_end.hpp"

#include "tests/support/named_case.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace tpuwh::server::kube::decode {
namespace {

using test::case_name;
using test::PrintTo;

// How many bytes are taken when they come in pieces of `size`; 0 if no end is reached.
std::size_t length_of(std::string_view text, std::size_t size) {
  ValueEnd end;
  std::size_t taken = 0;
  while (taken < text.size() && !end.reached()) {
    const std::string piece(text.substr(taken, size));  // of its own, for AddressSanitizer
    const std::size_t some = end.take(piece);
    EXPECT_TRUE(end.reached() || some == piece.size());
    taken += some;
  }
  return end.reached() ? taken : 0;
}

struct Value {
  std::string name;
  std::string text;
};
class ValueEndTest : public testing::TestWithParam<Value> {};

// Blocks are of 64 bytes: each shift puts what matters on another side of their borders.
TEST_P(ValueEndTest, is_the_same_however_it_is_cut) {
  for (std::size_t shift = 0; shift < 70; ++shift) {
    const std::string value = '[' + std::string(shift, ' ') + GetParam().text + ']';
    const std::string text = value + R"(,{"a":"]"}])" + std::string(70, ']');
    for (const std::size_t size : {1, 2, 3, 63, 64, 65, 130, 1000})
      ASSERT_EQ(length_of(text, size), value.size()) << shift << ' ' << size;
    EXPECT_EQ(length_of(value.substr(0, value.size() - 1), 1000), 0u) << shift;
  }
}
INSTANTIATE_TEST_SUITE_P(
    , ValueEndTest,
    testing::Values(Value{"nothing", ""}, Value{"nested", R"({"a":[[{}],{"b":[]}]})"},
                    Value{"brackets_in_a_string", R"("]}[{]]")"},
                    Value{"quote_in_a_string", R"("\"]")"},
                    Value{"backslash_at_the_end", R"("\\","]\\\\")"},
                    Value{"backslashes_and_a_quote", R"("\\\"]\\\\\"]")"},
                    Value{"backslash_and_a_bracket", R"("\u005d\n]")"},
                    Value{"many_backslashes", '"' + std::string(200, '\\') + R"(\"]")"},
                    Value{"long_string", '"' + std::string(300, ']') + '"'},
                    Value{"what_differs_by_a_bit", R"("a","|",0x3b;;<>=()^~_\/)"},
                    Value{"other_bytes", "\"\xdb\xfb\xdd\xfd\xa2\xdc\""}),
    case_name);

TEST(ValueEnd, counts_many_brackets) {
  const std::string deep = std::string(1000, '[') + std::string(1000, ']');
  EXPECT_EQ(length_of(deep + ']', 7), deep.size());
  EXPECT_EQ(length_of(deep + ']', 4096), deep.size());
}

}  // namespace
}  // namespace tpuwh::server::kube::decode
