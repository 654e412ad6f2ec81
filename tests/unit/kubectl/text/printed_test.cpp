#include "kubectl/text/printed.hpp"

#include "kubectl/print/table.hpp"
#include "kubectl/text/console.hpp"
#include "kubectl/text/json_line.hpp"
#include "tests/support/ran.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <concepts>
#include <string>

namespace tpuwh::server::text {
namespace {

constexpr auto hostile = "a\033]0;t\a\xc2\x9b[31m\r\nerror: b\u202e\u2066c";
constexpr auto harmless = R"(a\u001b]0;t\u0007\u009b[31m\r\nerror: b\u202e\u2066c)";

template <class T>
concept makes_printed = requires(T text) {
  Printed(text);
};
template <class T>
concept appends = requires(Printed out, T text) {
  out += text;
};
template <class T>
concept goes_out = requires(Output out, T text) {
  out << text;
};
template <class T>
concept is_a_sentence = requires(T text) {
  printed(text, 1);
};

// What somebody else may have written is no text of ours. (A `const char*` is refused where it is
// no constant, which a concept does not see.)
static_assert(!makes_printed<std::string> && !makes_printed<std::string_view>);
static_assert(!appends<std::string> && !appends<std::string_view>);
static_assert(!goes_out<std::string> && !goes_out<std::string_view>);
static_assert(!is_a_sentence<std::string> && !is_a_sentence<std::string_view> &&
              !is_a_sentence<const char*>);
static_assert(appends<Printed> && goes_out<Printed>);

TEST(APrinted, escapes_all_that_is_put_into_it) {
  EXPECT_EQ(
      printed("Pod {}: {} of {}\n", std::string(hostile), 3, std::string_view(hostile)).text(),
      "Pod " + std::string(harmless) + ": 3 of " + harmless + "\n");
  EXPECT_EQ(printed("{}", hostile).text(), harmless);
  EXPECT_EQ(printed("{}{}", 'x', '\033').text(), "x\\u001b");
  EXPECT_EQ(printed("{}", "\xff").text(), "\ufffd");
}

TEST(APrinted, is_put_into_another_as_it_is) {
  const Printed name = paint(printed("{}", hostile), Ink::red, true);
  EXPECT_EQ(printed("{}!", name).text(), "\033[31m" + std::string(harmless) + "\033[0m!");
}

TEST(PrintedLines, have_a_margin_where_there_is_something) {
  EXPECT_EQ(printed_lines("a\\\n b\n\n\033c", "  ").text(), "  a\\\n   b\n\n  \\u001bc");
}

TEST(ATable, has_columns_as_wide_as_what_is_seen) {
  print::Table table({"A", "B"});
  table.add({"\n", "x"});
  EXPECT_EQ(table.text(false).text(), "  A   B\n  \\n  x\n");
}

TEST(AJsonLine, says_the_same_without_what_is_not_seen) {
  const nlohmann::ordered_json value = {{hostile, hostile}, {"tag", "\U000e0041é"}};
  const std::string line = json_line(value).text();
  EXPECT_EQ(nlohmann::ordered_json::parse(line), value);
  EXPECT_EQ(visible(line.substr(0, line.size() - 1)), line.substr(0, line.size() - 1));
  EXPECT_NE(line.find("é"), std::string::npos);
  const std::string page = json_line(value, true).text();
  EXPECT_EQ(nlohmann::ordered_json::parse(page), value);
  EXPECT_EQ(visible(page, true), page);
}

TEST(AnErrorLine, is_one_line) {
  const auto ran = test::ran([](const Console& console) { return print_error(console, hostile); });
  EXPECT_EQ(ran.code, 2);
  EXPECT_EQ(ran.err, "kubectl-tpu: " + std::string(harmless) + "\n");
}

}  // namespace
}  // namespace tpuwh::server::text
