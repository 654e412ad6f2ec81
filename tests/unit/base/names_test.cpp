#include "base/names.hpp"

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <string_view>

namespace tpuwh::base {
namespace {

using namespace std::string_literals;
using namespace std::string_view_literals;

TEST(Names, are_what_they_may_be) {
  const auto expect = [](bool dns_label, bool label_value, bool qualified,
                         std::initializer_list<std::string> all) {
    for (const std::string& text : all) {
      EXPECT_EQ(is_dns_label(text), dns_label) << text;
      EXPECT_EQ(is_label_value(text), label_value) << text;
      EXPECT_EQ(is_qualified_name(text), qualified) << text;
    }
  };
  expect(true, true, true, {"train-0", "a", "0", std::string(63, 'a')});
  expect(false, true, true, {"Train", "a.b", "a_b"});
  expect(false, false, true,
         {"example.com/x", "cloud.google.com/gke-nodepool", "a/B", std::string(253, 'a') + "/b"});
  expect(false, false, false,
         {"",
          std::string(64, 'a'),
          "-a",
          "a-",
          "a.",
          "a b",
          "a\n",
          "a\0b"s,
          "a\0"s,
          "\xc3\xa4",
          "a,b",
          "/x",
          "a/",
          "a/b/c",
          "A/b",
          ".a/b",
          "a..b/c",
          "a-.b/c",
          std::string(254, 'a') + "/b",
          "a\"b"});
}

TEST(PlainDecimal, is_strict) {
  for (const std::uint32_t number : {0u, 9u, 10u, 4294967295u})
    EXPECT_EQ(plain_decimal(std::to_string(number)), number);
  for (const std::string& text :
       {"4294967296"s, std::string(400, '9'), ""s, "01"s, "00"s, "-1"s, "-0"s, "+1"s, " 1"s, "1 "s,
        "1e3"s, "1.0"s, "0x1"s, "1\0"s, "1\n"s, "\xd9\xa1"s, "one"s})
    EXPECT_FALSE(plain_decimal(text)) << text;
}

TEST(JsonNumber, is_as_in_the_rfc) {
  for (const char* number : {"0", "-0", "120", "0.50", "4e0", "-1.5E+30"})
    EXPECT_TRUE(is_json_number(number)) << number;
  for (const char* none :
       {"", "-", "+1", "01", ".5", "5.", "1e", "1e-", "1.2.3", "1 ", "Infinity", "0x1"})
    EXPECT_FALSE(is_json_number(none)) << none;
}

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
