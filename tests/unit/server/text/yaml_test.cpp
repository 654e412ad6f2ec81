#include "server/text/yaml.hpp"

#include "server/text/json_text.hpp"
#include "server/text/read_json.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace tpuwh::server::text {
namespace {

using Json = nlohmann::ordered_json;
using testing::HasSubstr;

Json read_again(const Json& value) {
  const auto documents = parse_yaml(to_yaml(value));
  EXPECT_TRUE(documents) << to_yaml(value);
  return documents && documents->size() == 1 ? documents->front() : Json();
}

TEST(Yaml, is_read_again_as_it_was) {
  const Json value = {
      {"command", nullptr},
      {"args", {"a\nb", "a\nb\n", "a\n\nb\n\n", " a\nb", "\n",      "",       "null",  "~",  "true",
                "on",   "1",      "1e3",        "0x1",   "- a",     "a: b",   "a #b",  "#",  "'",
                "\"",   "é…",     "\u202e",     "\t",    "a\tb\nc", "{",      "[",     "*a", "&a",
                "!a",   "%a",     "@",          "`",     "---",     "...\nb", "x\r\ny"}},
      {"empty", {{"map", Json::object()}, {"list", Json::array()}}},
      {"lists", {{1, 2}, {Json::array({3}), {{"a", 1}, {"b", {4, -5, 1.5, false}}}}}},
      {"on", 1},
      {"12", 2},
      {"a: b", 3},
      {std::string(2000, 'k'), {{"x", {1}}}},
  };
  EXPECT_EQ(read_again(value), value) << to_yaml(value);
  for (const Json& each : value["args"]) {
    EXPECT_EQ(read_again(Json::array({each})), Json::array({each})) << to_yaml(each);
    EXPECT_EQ(read_again({{"a", {each}}}), Json({{"a", {each}}}));
  }
}

// It printed the string "null", and gave a text without a line feed at its end one.
TEST(Yaml, says_null_and_how_a_text_ends) {
  EXPECT_EQ(to_yaml({{"command", nullptr}, {"args", {"a\nb", "c\nd\n"}}}),
            "command: null\nargs:\n  - |-\n    a\n    b\n  - |\n    c\n    d\n");
  EXPECT_EQ(to_yaml({{"spec", {{"containers", {{{"name", "a"}, {"env", Json::array()}}}}}}}),
            "spec:\n  containers:\n    - name: a\n      env: []\n");
}

// 65 KB that stood for 54 GB.
TEST(Yaml, counts_what_aliases_repeat) {
  std::string text = "a: &a " + std::string(60'000, 'x') + "\nb: &b [";
  for (int i = 0; i < 1000; ++i) text += "*a,";
  text += "]\nc: [";
  for (int i = 0; i < 900; ++i) text += "*b,";
  const auto read = parse_yaml(text + "]\n");
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code(), Errc::too_large);
  EXPECT_THAT(read.error().message(), HasSubstr("line 1: aliases repeat"));
  EXPECT_THAT(read.error().message(), HasSubstr(fmt::format("{}", max_repeated_yaml_bytes)));
  EXPECT_THAT(parse_located_yaml(text + "]\n").problems.front().what, HasSubstr("aliases repeat"));
}

TEST(Yaml, counts_the_places_that_it_notes) {
  std::string text = std::string(900, 'k') + ": [";
  for (int i = 0; i < 40'000; ++i) text += "1,";
  EXPECT_THAT(parse_located_yaml(text + "]\n").problems.front().what, HasSubstr("aliases repeat"));
  EXPECT_TRUE(parse_yaml(text + "]\n"));
}

TEST(Json, is_read_in_time_proportional_to_it) {
  std::string text = "{";
  for (int i = 0; i < 100'000; ++i) text += fmt::format("\"k{}\":{},", i, i);
  const auto read = read_json(text + "\"k1\":\"again\",\"k99999\":0}");
  ASSERT_TRUE(read);
  EXPECT_EQ(read->size(), 100'000u);
  EXPECT_EQ(std::next(read->begin()).value(), "again");
  EXPECT_EQ(std::prev(read->end()).value(), 0);
}

TEST(Json, is_what_nlohmann_reads) {
  for (const char* text : {"{}", "[]", "1", "-1", "1.5", "\"\\ud83d\\ude00\"", "null", "true",
                           R"({"a":1,"b":[{"c":[]},{}],"a":{"d":2}})", "[[[1],2],{\"a\":[]}]"})
    EXPECT_EQ(parse_or_throw(text), Json::parse(text)) << text;
}

TEST(Json, is_told_by_the_line_where_it_is_none) {
  for (const char* bad : {"nul", "\"\\ud800\"", "1e400", "01"}) {
    const auto read = read_json(fmt::format("{{\n\"a\":1,\n\"b\": {}}}", bad));
    ASSERT_FALSE(read) << bad;
    EXPECT_THAT(read.error().message(), testing::StartsWith("line 3: not JSON at ")) << bad;
    EXPECT_TRUE(parse_or_discard(fmt::format("[{}]", bad)).is_discarded());
    EXPECT_THROW(parse_or_throw(fmt::format("[{}]", bad)), Json::exception);
  }
}

}  // namespace
}  // namespace tpuwh::server::text
