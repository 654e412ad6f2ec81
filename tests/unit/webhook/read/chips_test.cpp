#include "webhook/read/chips.hpp"

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include "tests/support/has.hpp"

namespace tpuwh::webhook::read {
namespace {

using namespace std::string_literals;

// Texts are accepted and refused as by resource.ParseQuantity (k8s.io/apimachinery 0.31), but chips
// must be a whole number.
TEST(ChipCount, is_a_whole_number) {
  for (const auto& [text, want] : std::initializer_list<std::pair<std::string, std::uint64_t>>{
           {"4", 4},
           {"0", 0},
           {"+4", 4},
           {"4e0", 4},
           {"4E2", 400},
           {"4e+1", 40},
           {"40e-1", 4},
           {"4000m", 4},
           {"4000000u", 4},
           {"4000000000n", 4},
           {"0.004k", 4},
           {"1k", 1000},
           {"1Ki", 1024},
           {"0.5Ki", 512},
           {"0.000000000000000004E", 4},
           {"4Gi", std::uint64_t{4} << 30},
           {"4.0", 4},
           {"4.", 4},
           {".4e1", 4},
           {"0004", 4},
           {std::string(1000, '0') + "4", 4},
           {"4." + std::string(10, '0'), 4},
           {"4." + std::string(400, '0'), 4},
           {"0m", 0},
           {"-0", 0},
           {"0e999", 0},
           {"9007199254740992", std::uint64_t{1} << 53},
           {"8Pi", std::uint64_t{1} << 53},
           {"900719925474099e1", 9'007'199'254'740'990},
           {"9007199254741000.0m", 9'007'199'254'741},
       }) {
    const auto chips = chip_count(text);
    ASSERT_TRUE(chips) << chips.error().message();
    EXPECT_EQ(*chips, want) << text;
  }
}

TEST(ChipCount, is_refused_where_it_is_none) {
  const auto expect = [](std::string_view error, std::initializer_list<std::string> texts) {
    for (const std::string& text : texts) {
      const auto chips = chip_count(text);
      ASSERT_FALSE(chips) << text;
      EXPECT_TRUE(test::has(chips.error().message(), error));
      EXPECT_LT(chips.error().message().size(), 200u);
    }
  };
  expect("is not a whole number",
         {"90071992547409921m", "1500m", "0.1", "1e-3", "1e-300", "1n", "1e-2147483648"});
  expect("negative", {"-4", "-1m"});
  expect("more chips", {"1e30", "9007199254740993", "1Ei", std::string(5000, '9'), "1e2147483647"});
  expect("is not a quantity",
         {"1e99999999999999999999", "", "abc", ".", "-", "Ki", "4 ", " 4", "1.2.3", "+-4", "0x4",
          "4K", "4ki", "4e0k", "4e1.5", "4e+-1", "4e+", "4\0"s, "\n"});
}

}  // namespace
}  // namespace tpuwh::webhook::read
