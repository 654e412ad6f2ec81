#include "webhook/read/chips.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "tests/support/named_case.hpp"

namespace tpuwh::webhook::read {
namespace {

using namespace std::string_literals;

using test::case_name;
using test::PrintTo;

struct Quantity {
  std::string_view name;
  std::string text;
  std::int64_t want = -1;       // -1: refused
  std::string_view error = "";  // part of the sentence
};

class ChipCount : public testing::TestWithParam<Quantity> {};

TEST_P(ChipCount, is_a_whole_number) {
  const auto chips = chip_count(GetParam().text);
  if (GetParam().want >= 0) {
    ASSERT_TRUE(chips) << chips.error().message();
    EXPECT_EQ(*chips, static_cast<std::uint64_t>(GetParam().want));
  } else {
    ASSERT_FALSE(chips) << *chips;
    const std::string sentence = chips.error().message();
    EXPECT_NE(sentence.find(GetParam().error), std::string::npos) << sentence;
    EXPECT_LT(sentence.size(), 200u);
  }
}

constexpr std::string_view no_quantity = "is not a quantity";
constexpr std::string_view not_whole = "is not a whole number";
constexpr std::string_view too_many = "more chips";

// Accepted and refused as resource.ParseQuantity does (k8s.io/apimachinery 0.31), whole
// numbers alone being chips.
INSTANTIATE_TEST_SUITE_P(
    Quantities, ChipCount,
    testing::Values(
        Quantity{"four", "4", 4}, Quantity{"zero", "0", 0}, Quantity{"plus", "+4", 4},
        Quantity{"exponent", "4e0", 4}, Quantity{"exponent_up", "4E2", 400},
        Quantity{"exponent_plus", "4e+1", 40}, Quantity{"exponent_down", "40e-1", 4},
        Quantity{"milli", "4000m", 4}, Quantity{"micro", "4000000u", 4},
        Quantity{"milli_beyond_53_bits", "90071992547409921m", -1, not_whole},
        Quantity{"nano", "4000000000n", 4}, Quantity{"kilo_fraction", "0.004k", 4},
        Quantity{"kilo", "1k", 1000}, Quantity{"kibi", "1Ki", 1024},
        Quantity{"half_kibi", "0.5Ki", 512}, Quantity{"exa", "0.000000000000000004E", 4},
        Quantity{"gibi", "4Gi", std::int64_t{4} << 30}, Quantity{"point_zero", "4.0", 4},
        Quantity{"point_end", "4.", 4}, Quantity{"point_start", ".4e1", 4},
        Quantity{"leading_zeros", "0004", 4},
        Quantity{"many_leading_zeros", std::string(1000, '0') + "4", 4},
        Quantity{"trailing_zeros", "4." + std::string(10, '0'), 4},
        Quantity{"many_trailing_zeros", "4." + std::string(400, '0'), 4},
        Quantity{"zero_milli", "0m", 0}, Quantity{"minus_zero", "-0", 0},
        Quantity{"zero_huge", "0e999", 0},
        Quantity{"limit", "9007199254740992", std::int64_t{1} << 53},
        Quantity{"limit_of_twos", "8Pi", std::int64_t{1} << 53},
        Quantity{"limit_of_tens", "900719925474099e1", 9'007'199'254'740'990},
        Quantity{"limit_before_the_zeros", "9007199254741000.0m", 9'007'199'254'741},

        Quantity{"half", "1500m", -1, not_whole}, Quantity{"tenth", "0.1", -1, not_whole},
        Quantity{"exponent_fraction", "1e-3", -1, not_whole},
        Quantity{"tiny", "1e-300", -1, not_whole}, Quantity{"nano_one", "1n", -1, not_whole},
        Quantity{"minus", "-4", -1, "negative"}, Quantity{"minus_milli", "-1m", -1, "negative"},
        Quantity{"huge_exponent", "1e30", -1, too_many},
        Quantity{"over_limit", "9007199254740993", -1, too_many},
        Quantity{"exbi", "1Ei", -1, too_many},
        Quantity{"huge", std::string(5000, '9'), -1, too_many},
        Quantity{"int_exponent", "1e2147483647", -1, too_many},
        Quantity{"int_exponent_down", "1e-2147483648", -1, not_whole},
        Quantity{"long_exponent", "1e99999999999999999999", -1, no_quantity},
        Quantity{"empty", "", -1, no_quantity}, Quantity{"word", "abc", -1, no_quantity},
        Quantity{"point", ".", -1, no_quantity}, Quantity{"sign", "-", -1, no_quantity},
        Quantity{"suffix_alone", "Ki", -1, no_quantity}, Quantity{"blank", "4 ", -1, no_quantity},
        Quantity{"blank_before", " 4", -1, no_quantity},
        Quantity{"two_points", "1.2.3", -1, no_quantity},
        Quantity{"two_signs", "+-4", -1, no_quantity}, Quantity{"hex", "0x4", -1, no_quantity},
        Quantity{"no_such_suffix", "4K", -1, no_quantity},
        Quantity{"no_ki", "4ki", -1, no_quantity},
        Quantity{"exponent_and_suffix", "4e0k", -1, no_quantity},
        Quantity{"exponent_fraction_text", "4e1.5", -1, no_quantity},
        Quantity{"exponent_plus_minus", "4e+-1", -1, no_quantity},
        Quantity{"exponent_sign_only", "4e+", -1, no_quantity},
        Quantity{"nul", "4\0"s, -1, no_quantity}, Quantity{"control", "\n", -1, no_quantity}),
    case_name);

}  // namespace
}  // namespace tpuwh::webhook::read
