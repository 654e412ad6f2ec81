#include "webhook/write/json.hpp"

#include <gtest/gtest.h>

#include <unistd.h>

#include <concepts>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "tests/support/own_mapping.hpp"

namespace tpuwh::webhook::write {
namespace {

using namespace std::string_literals;
using nlohmann::json;

// ---- what compiles

template <class T>
concept Writable = requires(Json& out, T value) {
  out << value;
};

static_assert(Writable<JsonLiteral>);
static_assert(Writable<AsString> && Writable<InString>);
static_assert(Writable<unsigned> && Writable<std::uint64_t>);
// Somebody's text, by whatever name.
static_assert(!Writable<std::string_view> && !Writable<std::string> && !Writable<const char*>);
static_assert(!Writable<base::Buffer&> && !Writable<const base::Buffer&>);
static_assert(!Writable<char> && !Writable<char*> && !Writable<bool> && !Writable<int>);
static_assert(!std::constructible_from<JsonLiteral, std::string>);
static_assert(!std::constructible_from<JsonLiteral, std::string_view>);
static_assert(!std::constructible_from<JsonLiteral, const char*>);

TEST(JsonWriter, joins_literals_numbers_and_texts) {
  Json out;
  out << "{\"a\":" << 17u << ",\"b\":" << as_string("x\"y") << ",\"c\":\"" << in_string("1\n")
      << "-" << in_string("2") << "\"}";
  EXPECT_EQ(out.view(), R"({"a":17,"b":"x\"y","c":"1\u000a-2"})");
  EXPECT_TRUE(out.is_sound());
}

TEST(JsonWriter, of_an_empty_literal_writes_nothing) {
  Json out;
  out << JsonLiteral() << "";
  EXPECT_TRUE(out.empty());
  EXPECT_TRUE(out.is_sound());
}

TEST(JsonWriter, goes_back) {
  Json out;
  out << "[" << as_string("a");
  const Json::Mark mark = out.mark();
  out << "," << as_string("\"b\"");
  out.go_back(mark);
  out << "]";
  EXPECT_EQ(out.view(), R"(["a"])");
  EXPECT_TRUE(out.is_sound());
}

TEST(JsonWriter, appends_another_without_its_first_characters) {
  Json one, other;
  other << "[" << as_string("a\\b");
  one << "[1," << 2u << ",";
  one.append(other, 1);
  one << "]";
  EXPECT_EQ(json::parse(one.view()), json::parse(R"([1,2,"a\\b"])"));
  EXPECT_TRUE(one.is_sound());
}

TEST(SpecialCharacters, are_counted_alike_by_bytes_and_by_words) {
  for (std::size_t size = 0; size < 70; ++size)
    for (unsigned seed = 0; seed < 40; ++seed) {
      std::string text;
      for (std::size_t i = 0; i < size; ++i)
        text += "a\"\\\x1f\x7f \xff"[(i * 7 + seed * 13 + i / (seed + 1)) % 7];
      EXPECT_EQ(count_special(text), count_special_bytewise(text)) << size << ' ' << seed;
    }
  const std::string many(100'000, '"');
  EXPECT_EQ(count_special(many), many.size());
}

// On a page between two that cannot be read, at its end and at its beginning.
TEST(SpecialCharacters, are_counted_without_a_look_at_what_is_around) {
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  const test::OwnMapping in_front("");
  for (std::size_t size = 0; size < 70; ++size) {
    const std::string text(size, '"');
    EXPECT_EQ(count_special(test::OwnMapping(text).text()), size);
    EXPECT_EQ(count_special(test::OwnMapping(text, page - size).text()), size);
  }
}

// ---- strings

TEST(JsonString, comes_back) {
  std::string every;
  for (unsigned c = 0; c < 0x80; ++c) every += static_cast<char>(c);
  for (const std::string& text : {""s, "plain"s, every, every + every, "\xc3\xa4\xf0\x9f\x98\x80"s,
                                  "\0"s, "\"\"\\\\"s, std::string(1000, '\n'), "end\\"s}) {
    Json out;
    out << as_string(text);
    EXPECT_TRUE(out.is_sound());
    EXPECT_EQ(json::parse(out.view()).get<std::string>(), text);
  }
}

// Sixteen bytes are looked at in one step, and the last may go back.
TEST(JsonString, comes_back_of_every_length) {
  for (std::size_t size = 1; size < 50; ++size)
    for (std::size_t at = 0; at < size; ++at)
      for (const char c : {'"', '\\', '\x1f'}) {
        std::string text(size, '~');
        text[at] = c;
        Json out;
        out << as_string(text);
        EXPECT_TRUE(out.is_sound());
        EXPECT_EQ(json::parse(out.view()).get<std::string>(), text) << size << ' ' << at;
      }
}

TEST(JsonString, comes_back_wherever_in_a_word_the_byte_stands) {
  for (unsigned c = 0; c < 0x80; ++c) {
    for (std::size_t at = 0; at < 24; ++at) {
      for (const std::string& beside : {" "s, "\x7f"s, "\xc3\xbf"s}) {
        std::string text;
        while (text.size() < 24) text += beside;
        text[at & ~std::size_t{1}] = static_cast<char>(c);  // never half of a letter
        text[at | 1] = at % 2 == 0 ? ' ' : static_cast<char>(c);
        Json out;
        out << as_string(text);
        EXPECT_TRUE(out.is_sound());
        EXPECT_EQ(json::parse(out.view()).get<std::string>(), text) << c << " at " << at;
      }
    }
  }
}

}  // namespace
}  // namespace tpuwh::webhook::write
