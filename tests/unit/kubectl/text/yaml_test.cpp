#include "kubectl/text/yaml.hpp"
#include "base/result.hpp"

#include "kubectl/objects/read_json.hpp"
#include "server/text/json_text.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <ctime>
#include <functional>
#include <string>
#include <vector>

namespace tpuwh::server::text {
namespace {

using Json = nlohmann::ordered_json;
using objects::read_json;
using testing::HasSubstr;

Json read_again(const Json& value) {
  const auto documents = parse_yaml(to_yaml(value));
  EXPECT_TRUE(documents) << to_yaml(value);
  return documents && documents->size() == 1 ? documents->front() : Json();
}

TEST(Yaml, is_read_again_as_it_was) {
  const Json value = {
      {"command", nullptr},
      {"args",
       {"a\nb", "a\nb\n", "a\n\nb\n\n", " a\nb", "\n",      "",       "null",   "~",   "true",
        "on",   "1",      "1e3",        "0x1",   "- a",     "a: b",   "a #b",   "#",   "'",
        "\"",   "é…",     "\u202e",     "\t",    "a\tb\nc", "{",      "[",      "*a",  "&a",
        "!a",   "%a",     "@",          "`",     "---",     "...\nb", "x\r\ny", "2/\r"}},
      {"empty", {{"map", Json::object()}, {"list", Json::array()}}},
      {"lists", {{1, 2}, {Json::array({3}), {{"a", 1}, {"b", {4, -5, 1.5, false}}}}}},
      {"on", 1},
      {"12", 2},
      {"a: b", 3},
      {std::string(2000, 'k'), {{"x", {1}}}},
  };
  EXPECT_EQ(read_again(value), value) << to_yaml(value);
  for (const Json& each : value["args"]) {
    EXPECT_EQ(read_again(each), each) << to_yaml(each);
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
  EXPECT_EQ(read.error().code(), base::Errc::too_large);
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

// Texts of 16 characters that libstdc++'s std::hash, Murmur's of 64 bits, does not tell apart: of
// any first half there is a second that leads to the same state.
std::vector<std::string> texts_of_one_hash(std::size_t count) {
  constexpr std::uint64_t factor = 0xc6a4a7935bd1e995, seed = 0xc70f6907, state = 1;
  std::uint64_t inverse = factor;
  for (int i = 0; i < 6; ++i) inverse *= 2 - factor * inverse;
  const auto shifted = [](std::uint64_t value) { return value ^ (value >> 47); };
  std::vector<std::string> out;
  for (std::uint64_t number = 0; out.size() < count; ++number) {
    const std::uint64_t begin =
        0x6161616161616161 + (number & 0x0f0f0f0f0f0f0f0f) + ((number >> 4 & 0x0f0f0f0f) << 32);
    std::uint64_t half = begin;
    const std::uint64_t first = (seed ^ (16 * factor) ^ (shifted(half * factor) * factor)) * factor;
    half = shifted((state ^ first) * inverse) * inverse;
    if ((half & 0x8080808080808080) != 0) continue;  // not ASCII
    std::string text(16, ' ');
    std::memcpy(text.data(), &begin, 8);
    std::memcpy(text.data() + 8, &half, 8);
    if (std::ranges::all_of(text, [](char c) { return c > 0; })) out.push_back(text);
  }
  return out;
}

double seconds_of(const std::function<void()>& work) {
  const std::clock_t begin = std::clock();
  work();
  return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
}

TEST(Json, and_yaml_take_no_longer_for_keys_of_one_hash) {
  const auto alike = texts_of_one_hash(20'000);
  ASSERT_EQ(std::hash<std::string>()(alike.front()), std::hash<std::string>()(alike.back()));
  std::string text = "{", usual = "{";
  for (const std::string& each : alike) text += Json(each).dump() + ": 0,";
  for (std::size_t i = 0; i < alike.size(); ++i) usual += fmt::format("\"key {:012}\": 0,", i);
  for (std::string* each : {&text, &usual}) each->back() = '}';
  const auto json = [](const std::string& of) { EXPECT_TRUE(read_json(of)); };
  const auto yaml = [](const std::string& of) { EXPECT_TRUE(parse_yaml(of)); };
  EXPECT_LT(seconds_of([&] { json(text); }), 0.2 + 4 * seconds_of([&] { json(usual); }));
  EXPECT_LT(seconds_of([&] { yaml(text); }), 0.2 + 4 * seconds_of([&] { yaml(usual); }));
}

// As sigs.k8s.io/yaml has it: what "<<" names is put where it stands.
TEST(Yaml, merges_as_kubectl_does) {
  const std::string anchors = "a: &a {k: a, x: 1}\nb: &b {k: b, y: 2}\nout: ";
  const auto merged = [&](const std::string& out) -> Json {
    const auto read = parse_yaml(anchors + out);
    return read ? (*read)[0]["out"] : Json(read.error().text());
  };
  EXPECT_EQ(merged("{<<: *a, k: own}"), Json::parse(R"({"k":"own","x":1})"));
  EXPECT_EQ(merged("{k: own, <<: *a}"), Json::parse(R"({"k":"a","x":1})"));
  EXPECT_EQ(merged("{<<: [*a, *b]}"), Json::parse(R"({"k":"a","y":2,"x":1})"));
  EXPECT_EQ(merged("{\"<<\": *a}"), Json::parse(R"({"<<":{"k":"a","x":1}})"));
  EXPECT_EQ(merged("{<<: 1}"), "line 3: the value of << is not a mapping");
  EXPECT_EQ(merged("{<<: [1]}"), "line 3: the list of << has an item that is not a mapping");
  const auto notes = [&](const std::string& text) {
    return YamlStream(0, Twice::last_holds).read(anchors + text, 0).value().notes;
  };
  EXPECT_THAT(notes("{k: own, <<: *a}"),
              testing::ElementsAre(testing::HasSubstr("<< replaces key k")));
  EXPECT_TRUE(notes("{<<: *a, k: own}").empty());
}

// The path is that of the second, as of what the webhook refuses.
TEST(Json, that_says_a_key_twice_is_refused_where_it_has_to_be) {
  const std::string text = R"({"a":[0,{"b":{"c":1,"d":2,"c":3}}]})";
  EXPECT_TRUE(read_json(text));
  const auto read = read_json(text, 1, Twice::refused);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().text(), "a[1].b.c: duplicate key");
  EXPECT_TRUE(read_json(R"({"a":{"b":1},"b":{"a":1}})", 1, Twice::refused));
}

TEST(Json, is_what_nlohmann_reads) {
  for (const char* text : {"{}", "[]", "1", "-1", "1.5", "\"\\ud83d\\ude00\"", "null", "true",
                           R"({"a":1,"b":[{"c":[]},{}],"a":{"d":2}})", "[[[1],2],{\"a\":[]}]"})
    EXPECT_EQ(parse_or_discard(text), Json::parse(text)) << text;
}

TEST(Json, is_told_by_the_line_where_it_is_none) {
  for (const char* bad : {"nul", "\"\\ud800\"", "1e400", "01"}) {
    const auto read = read_json(fmt::format("{{\n\"a\":1,\n\"b\": {}}}", bad));
    ASSERT_FALSE(read) << bad;
    EXPECT_THAT(read.error().message(), testing::StartsWith("line 3, column ")) << bad;
    EXPECT_THAT(read.error().message(), testing::EndsWith(": not JSON")) << bad;
    EXPECT_TRUE(parse_or_discard(fmt::format("[{}]", bad)).is_discarded());
  }
}

}  // namespace
}  // namespace tpuwh::server::text
