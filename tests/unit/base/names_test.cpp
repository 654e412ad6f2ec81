#include "base/names.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "tests/support/named_case.hpp"

namespace tpuwh::base {
namespace {

using namespace std::string_literals;
using namespace std::string_view_literals;

using test::case_name;
using test::PrintTo;

struct Name {
  std::string_view name;
  std::string text;
  bool dns_label = false;
  bool label_value = false;
  bool qualified = false;
};

class NameIs : public testing::TestWithParam<Name> {};

TEST_P(NameIs, what_it_may_be) {
  EXPECT_EQ(is_dns_label(GetParam().text), GetParam().dns_label);
  EXPECT_EQ(is_label_value(GetParam().text), GetParam().label_value);
  EXPECT_EQ(is_qualified_name(GetParam().text), GetParam().qualified);
}

INSTANTIATE_TEST_SUITE_P(
    Names, NameIs,
    testing::Values(
        Name{"plain", "train-0", true, true, true}, Name{"one_letter", "a", true, true, true},
        Name{"digits", "0", true, true, true}, Name{"empty", "", false, false, false},
        Name{"longest", std::string(63, 'a'), true, true, true},
        Name{"too_long", std::string(64, 'a'), false, false, false},
        Name{"upper", "Train", false, true, true}, Name{"dot", "a.b", false, true, true},
        Name{"underscore", "a_b", false, true, true}, Name{"dash_first", "-a", false, false, false},
        Name{"dash_last", "a-", false, false, false}, Name{"dot_last", "a.", false, false, false},
        Name{"blank", "a b", false, false, false}, Name{"newline", "a\n", false, false, false},
        Name{"nul", "a\0b"s, false, false, false}, Name{"nul_last", "a\0"s, false, false, false},
        Name{"umlaut", "\xc3\xa4", false, false, false}, Name{"comma", "a,b", false, false, false},
        Name{"slash", "example.com/x", false, false, true},
        Name{"node_pool", "cloud.google.com/gke-nodepool", false, false, true},
        Name{"no_prefix", "/x", false, false, false}, Name{"no_name", "a/", false, false, false},
        Name{"two_slashes", "a/b/c", false, false, false},
        Name{"upper_prefix", "A/b", false, false, false},
        Name{"upper_name", "a/B", false, false, true},
        Name{"dot_prefix", ".a/b", false, false, false},
        Name{"empty_part_of_prefix", "a..b/c", false, false, false},
        Name{"dash_ends_part", "a-.b/c", false, false, false},
        Name{"long_prefix", std::string(253, 'a') + "/b", false, false, true},
        Name{"too_long_prefix", std::string(254, 'a') + "/b", false, false, false},
        Name{"quote", "a\"b", false, false, false}),
    case_name);

struct Decimal {
  std::string_view name;
  std::string text;
  std::optional<std::uint32_t> want = std::nullopt;
};

class PlainDecimal : public testing::TestWithParam<Decimal> {};

TEST_P(PlainDecimal, is_strict) {
  EXPECT_EQ(plain_decimal(GetParam().text), GetParam().want);
}

INSTANTIATE_TEST_SUITE_P(
    Names, PlainDecimal,
    testing::Values(Decimal{"zero", "0", 0}, Decimal{"nine", "9", 9}, Decimal{"ten", "10", 10},
                    Decimal{"largest", "4294967295", 4294967295u},
                    Decimal{"too_large", "4294967296"}, Decimal{"huge", std::string(400, '9')},
                    Decimal{"empty", ""}, Decimal{"leading_zero", "01"},
                    Decimal{"double_zero", "00"}, Decimal{"minus", "-1"},
                    Decimal{"minus_zero", "-0"}, Decimal{"plus", "+1"},
                    Decimal{"blank_before", " 1"}, Decimal{"blank_after", "1 "},
                    Decimal{"exponent", "1e3"}, Decimal{"point", "1.0"}, Decimal{"hex", "0x1"},
                    Decimal{"nul_after", "1\0"s}, Decimal{"newline_after", "1\n"},
                    Decimal{"arabic", "\xd9\xa1"}, Decimal{"word", "one"}),
    case_name);

struct Number {
  std::string_view name;
  std::string_view text;
  bool want;
};

class JsonNumber : public testing::TestWithParam<Number> {};

TEST_P(JsonNumber, as_in_the_rfc) {
  EXPECT_EQ(is_json_number(GetParam().text), GetParam().want);
}

INSTANTIATE_TEST_SUITE_P(
    Names, JsonNumber,
    testing::Values(Number{"zero", "0", true}, Number{"minus_zero", "-0", true},
                    Number{"integer", "120", true}, Number{"fraction", "0.50", true},
                    Number{"exponent", "4e0", true}, Number{"all", "-1.5E+30", true},
                    Number{"empty", "", false}, Number{"minus", "-", false},
                    Number{"plus", "+1", false}, Number{"leading_zero", "01", false},
                    Number{"no_digit_before", ".5", false}, Number{"no_digit_after", "5.", false},
                    Number{"no_exponent", "1e", false}, Number{"sign_only", "1e-", false},
                    Number{"two_points", "1.2.3", false}, Number{"blank", "1 ", false},
                    Number{"infinity", "Infinity", false}, Number{"hex", "0x1", false}),
    case_name);

TEST(Placeholders, are_what_a_tool_was_to_fill_in) {
  for (const char* left : {"${NAME}", "train-${ID}", "$NAME", "$a", "$z", "$A", "$Z", "$_",
                           "$(name)", "$(n)", "{{ .Values.name }}", "<name>", "<your cluster>"})
    EXPECT_TRUE(has_placeholder(left)) << left;
  for (const char* none :
       {"", "train", "a<b", "a>b<c", "<>", "<a=b>", "5$", "$(touch x)", "$5", "$@", "$[", "{name}"})
    EXPECT_FALSE(has_placeholder(none)) << none;
}

TEST(Printable, is_ascii_without_quotes_and_short) {
  EXPECT_EQ(printable("a\"b\\c\n\x7f\xc3\xa4z"), "a?b?c????z");
  EXPECT_EQ(printable(std::string(64, 'x')), std::string(64, 'x'));
  EXPECT_EQ(printable(std::string(65, 'x')), std::string(61, 'x') + "...");
  EXPECT_EQ(printable("abcdef", 5), "ab...");
  EXPECT_EQ(printable("\0"sv), "?");
}

}  // namespace
}  // namespace tpuwh::base
