#include "kubectl/print/markup.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace tpuwh::server::print {
namespace {

using namespace std::string_view_literals;

TEST(Escaped, is) {
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"train-0-*", "train-0-*"},
      {"größe 大 🚀", "größe 大 🚀"},
      {"<b a=\"1\" c='2'>&", "&lt;b a=&quot;1&quot; c=&#39;2&#39;&gt;&amp;"},
      {"&lt;", "&amp;lt;"},
      {"]]>", "]]&gt;"},
      {"a\0b\n\t\r\x1b\x7f"sv, "a\\u0000b\\n\\t\\r\\u001b\\u007f"},
      {"\xc2\x85", "\\u0085"},
      {"\u202e\u2066\u061c\u200f", "\\u202e\\u2066\\u061c\\u200f"},
      {"\u200b\ufeff\u00ad", "\\u200b\\ufeff\\u00ad"},
      {"\u2028\u2029", "\\u2028\\u2029"},
      {"\U000e0041", "\\U000e0041"},
      {"\xef\xbf\xbf", "\\uffff"},
      {"a\xff"
       "b\xc3",
       "a\ufffdb\ufffd"},
      {"\xc0\xbc\xe0\x80\xbc", "\ufffd\ufffd\ufffd\ufffd\ufffd"},
      {"\xed\xa0\x80", "\ufffd\ufffd\ufffd"},
      {"\xf4\x90\x80\x80", "\ufffd\ufffd\ufffd\ufffd"},
      {"\xe2<b>", "\ufffd&lt;b&gt;"},
  };
  for (const auto& [text, want] : cases) EXPECT_EQ(escaped(text).text(), want) << want;
}

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
