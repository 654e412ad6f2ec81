#include "kubectl/print/markup.hpp"

#include "tests/support/named_case.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace tpuwh::server::print {
namespace {

using test::case_name;
using test::PrintTo;
using namespace std::string_view_literals;

struct EscapedText {
  std::string_view name;
  std::string_view text;
  std::string_view want;
};

class Escaped : public testing::TestWithParam<EscapedText> {};

TEST_P(Escaped, is) {
  EXPECT_EQ(escaped(GetParam().text).text(), GetParam().want);
}

const EscapedText escaped_texts[] = {
    {.name = "plain", .text = "train-0-*", .want = "train-0-*"},
    {.name = "letters_of_any_language", .text = "größe 大 🚀", .want = "größe 大 🚀"},
    {.name = "markup",
     .text = "<b a=\"1\" c='2'>&",
     .want = "&lt;b a=&quot;1&quot; c=&#39;2&#39;&gt;&amp;"},
    {.name = "twice", .text = "&lt;", .want = "&amp;lt;"},
    {.name = "end_of_cdata", .text = "]]>", .want = "]]&gt;"},
    {.name = "controls",
     .text = "a\0b\n\t\r\x1b\x7f"sv,
     .want = "a\\u0000b\\n\\t\\r\\u001b\\u007f"},
    {.name = "controls_of_latin_1", .text = "\xc2\x85", .want = "\\u0085"},
    {.name = "direction",
     .text = "\u202e\u2066\u061c\u200f",
     .want = "\\u202e\\u2066\\u061c\\u200f"},
    {.name = "no_width", .text = "\u200b\ufeff\u00ad", .want = "\\u200b\\ufeff\\u00ad"},
    {.name = "lines", .text = "\u2028\u2029", .want = "\\u2028\\u2029"},
    {.name = "tags", .text = "\U000e0041", .want = "\\U000e0041"},
    {.name = "no_character", .text = "\xef\xbf\xbf", .want = "\\uffff"},
    {.name = "not_utf_8",
     .text = "a\xff"
             "b\xc3",
     .want = "a\ufffdb\ufffd"},
    {.name = "overlong", .text = "\xc0\xbc\xe0\x80\xbc", .want = "\ufffd\ufffd\ufffd\ufffd\ufffd"},
    {.name = "surrogate", .text = "\xed\xa0\x80", .want = "\ufffd\ufffd\ufffd"},
    {.name = "beyond_unicode", .text = "\xf4\x90\x80\x80", .want = "\ufffd\ufffd\ufffd\ufffd"},
    {.name = "cut_before_markup", .text = "\xe2<b>", .want = "\ufffd&lt;b&gt;"},
};
INSTANTIATE_TEST_SUITE_P(Cases, Escaped, testing::ValuesIn(escaped_texts), case_name);

TEST(Markup, keeps_lines_where_it_is_asked) {
  EXPECT_EQ(escaped_lines("a\n<b>\r\n").text(), "a\n&lt;b&gt;\\r\n");
}

TEST(Markup, is_made_of_elements) {
  EXPECT_EQ(element("p", "class=\"a\"", "b").text(), "<p class=\"a\">b</p>");
  EXPECT_EQ(element("p", attribute("title", "\">"), "").text(), "<p title=\"&quot;&gt;\"></p>");
}

TEST(Markup, groups_digits) {
  EXPECT_EQ(number(0).text(), "0");
  EXPECT_EQ(number(999).text(), "999");
  EXPECT_EQ(number(10'000).text(), "10,000");
  EXPECT_EQ(number(1'234'567).text(), "1,234,567");
}

}  // namespace
}  // namespace tpuwh::server::print
