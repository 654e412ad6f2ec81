#include "base/json/reader.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/support/has.hpp"
#include "webhook/read/body.hpp"

namespace tpuwh::base::json {
namespace {

using test::has;

// --- A whole text: read as it comes, or skipped --------------------------------------

// Reads any value, looking at all of it, and says what it saw.
bool read_all(Reader& in, std::string& out) {
  switch (in.kind()) {
    case ValueKind::object:
      out += '{';
      if (!in.object([&](std::string_view key) {
            out.append(key).append("=");
            return read_all(in, out);
          }))
        return false;
      out += '}';
      return true;
    case ValueKind::array:
      out += '[';
      if (!in.array([&](std::size_t index) {
            out += std::to_string(index) + "=";
            return read_all(in, out);
          }))
        return false;
      out += ']';
      return true;
    case ValueKind::number: {
      std::string_view text;
      if (!in.number(text)) return false;
      out.append(text).append(" ");
      return true;
    }
    case ValueKind::boolean: {
      bool value = false;
      if (!in.boolean(value)) return false;
      out += value ? "T" : "F";
      return true;
    }
    case ValueKind::null:
      out += "N";
      return in.take_null() || in.fail_type("null");
    default: {
      std::string_view text;
      if (!in.string(text)) return false;
      out.append("'").append(text).append("'");
      return true;
    }
  }
}

using namespace std::string_literals;

// Returns what the reader has read of `text`, or the message of its error.
std::string seen(std::string text) {
  const webhook::read::Body body(text);
  Reader in;
  std::string saw;
  const bool read = in.start(body.bytes()) && read_all(in, saw) && in.finish();
  EXPECT_EQ(in.failed(), !read);
  return read ? saw : in.error().text();
}

TEST(JsonText, is_read_as_it_is) {
  for (const auto& [text, want] : std::initializer_list<std::pair<std::string, std::string>>{
           {R"({"a":1,"b":[true,null,"x"]})", "{a=1 b=[0=T1=N2='x']}"},
           {" {\t\"a\" :\r\n 1 , \"b\" : [ ] } \n", "{a=1 b=[]}"},
           {"4e0", "4e0 "},
           {"\"x\" ", "'x'"},
           {R"({"":{}})", "{={}}"},
           {R"(["\"\\\/\b\f\n\r\t"])", "[0='\"\\/\b\f\n\r\t']"},
           {R"({"\u0073pec":1})", "{spec=1 }"},
           {R"(["a\u0000b"])", "[0='a\0b']"s},
           {R"(["\u00e9"])", "[0='\xc3\xa9']"},
           {R"(["\ud83d\ude00"])", "[0='\xf0\x9f\x98\x80']"},
           {R"(["a\""])", "[0='a\"']"},
           {R"(["a\\"])", "[0='a\\']"},
           {R"(["a  "  ])", "[0='a  ']"},
           {R"(["]}{[,:"])", "[0=']}{[,:']"},
           {"[-0,-1.5e+3]", "[0=-0 1=-1.5e+3 ]"},
       })
    EXPECT_EQ(seen(text), want) << text;
}

TEST(JsonText, that_is_none_is_refused_with_a_sentence) {
  const auto expect = [](std::string_view error, std::initializer_list<std::string> texts) {
    for (const std::string& text : texts) EXPECT_TRUE(has(seen(text), error)) << text;
  };
  expect("no JSON value", {"", " \n\t "});
  expect("at byte 3", {"[1,]"});
  expect("a key", {R"({"a":1,})", "{1:2}", "{a:2}", "{'a':2}"});
  expect("at byte 1", {"[,1]", "[\0]"s, "[tru]", "[True]", "[NaN]", "[+1]", "[.5]"});
  expect("',' or ']'", {"[1 2]", R"(["a""b"])", R"(["a"x])", R"({"a":[1})"});
  expect("':'", {R"({"a" 1})", R"({"a" 1:2})"});
  expect("at byte 5", {R"({"a":})", R"({"a"::1})"});
  expect("',' or '}'", {R"([{"a":1])"});
  expect("ends where", {R"({"a":[1)", "{"});
  expect("more text", {"[1]]", "{} {}", "{} x", "{}//x"});
  expect("not closed", {R"(["abc)", R"(["abc\"])"});
  expect("control character", {"[\"a\nb\"]", "[\"a\0b\"]"s});
  expect("UTF-8", {"[\"\xff\"]", "[\"\xc0\xaf\"]", "[\"\xed\xa0\x80\"]", "[\"\xe2\x82\"]"});
  expect("at byte 0", {"\xef\xbb\xbf{}"});
  expect("escape", {R"(["\x41"])", R"(["\u12"])", R"(["\ud800"])", R"(["\udc00"])",
                    R"(["\ud800x"])", R"(["\ud800\ud800"])", R"(["\udc00\ud800"])"});
  expect("[0]", {"[nul]", "[nullx]"});
  expect("a number", {"[01]", "[-]", "[5.]", "[0x10]", "[1e]", "[1/*x*/]"});
}

// --- Depth ---------------------------------------------------------------------------

enum class Way { read, skipped };

bool accepts(const std::string& content, Way way, std::string* error = nullptr) {
  std::string text = content;
  const webhook::read::Body body(text);
  Reader in;
  std::string saw;
  const bool good =
      in.start(body.bytes()) && (way == Way::read ? read_all(in, saw) : in.skip()) && in.finish();
  if (error != nullptr) *error = in.error().text();
  return good;
}

std::string nested(std::size_t levels, std::string_view open, std::string_view inner,
                   std::string_view close) {
  std::string text;
  for (std::size_t i = 0; i < levels; ++i) text += open;
  text += inner;
  for (std::size_t i = 0; i < levels; ++i) text += close;
  return text;
}

TEST(JsonDepth, sixty_four_levels_are_the_most) {
  for (const Way way : {Way::read, Way::skipped})
    for (const auto& [open, inner, close] : {std::tuple{"[", "1", "]"},
                                             {"[", "", "]"},
                                             {"{\"a\":", "1", "}"},
                                             {"{\"a\":", "{}", "}"},
                                             {"[{\"a\":", "1", "}]"}}) {
      const bool two = std::string_view(open).starts_with("[{");
      const std::size_t most = two ? 32 : 64 - std::string_view(inner).size() / 2;
      std::string error;
      EXPECT_TRUE(accepts(nested(most, open, inner, close), way, &error)) << error;
      EXPECT_FALSE(accepts(nested(most + 1, open, inner, close), way, &error));
      EXPECT_TRUE(has(error, "deeper than 64"));
      EXPECT_FALSE(accepts(nested(100'000, open, inner, close), way));
      EXPECT_FALSE(accepts(nested(100'000, open, inner, ""), way));
    }
}

TEST(JsonDepth, siblings_do_not_add_up) {
  std::string text = "[";
  for (int i = 0; i < 1000; ++i) text += nested(63, "[", "", "]") + ",";
  text += "1]";
  EXPECT_TRUE(accepts(text, Way::read));
  EXPECT_TRUE(accepts(text, Way::skipped));
}

// --- Skipping -------------------------------------------------------------------------

TEST(JsonSkip, matches_brackets) {
  for (const char* bad : {"[}", "{]", "[{]}", "{\"a\":[}", "[", "{", "[[]", "]", "}", ",", ":"})
    EXPECT_FALSE(accepts(bad, Way::skipped)) << bad;
  for (const char* good : {"[]", "{}", R"({"]":"}"})", R"("[")", "1", "null"})
    EXPECT_TRUE(accepts(good, Way::skipped)) << good;
}

// A review as programs write it, and with white space: wherever one character is another, is gone
// or is there twice, what is skipped is refused just when what is read is.
TEST(JsonSkip, refuses_what_reading_refuses) {
  const std::string text =
      R"({"a":{".":{},"b":{".":{},"c":{}},"d":"x"},"e":[{"a":"b"},{},["a",[]],{"c":{"d":{}}}],"g":{}})";
  std::string spaced;
  for (const char c : text) spaced.append(1, c).append(c == ',' || c == ':' || c == '{' ? " " : "");
  for (const std::string& whole : {text, spaced, "[" + text + "," + text + "]"}) {
    ASSERT_TRUE(accepts(whole, Way::skipped));
    for (std::size_t at = 0; at < whole.size(); ++at)
      for (const std::string_view put :
           {"{", "}", "[", "]", ",", ":", "\"", "x", " ", "", "}}", "{{"}) {
        const std::string other = whole.substr(0, at).append(put) + whole.substr(at + 1);
        const std::string cut = whole.substr(0, at).append(put);
        EXPECT_EQ(accepts(other, Way::skipped), accepts(other, Way::read)) << other;
        EXPECT_EQ(accepts(cut, Way::skipped), accepts(cut, Way::read)) << cut;
      }
  }
}

// What was skipped as a whole is skipped a second time in another way: each value in it, wherever
// it stands, ends where it ended when it was read.
TEST(JsonSkip, ends_where_reading_ends_in_what_was_skipped) {
  const std::string text =
      R"({"a":{".":{},"b":{".":{},"]":{}},"d":"}{"},"e":[{"a":"b"},{},["a",[],[[]]],[{}],{},{}],"g":1})";
  std::string spaced;
  for (const char c : text) spaced.append(1, c).append(c == ',' || c == ':' || c == '[' ? " " : "");
  // Long enough for its end, and for those in it, to be looked up; behind it, and deep in it, too.
  std::string many = "[" + text;
  for (int i = 0; i < 20; ++i) many.append(",").append(text);
  many += "]";
  const std::string nested = std::string(30, '[') + many + std::string(30, ']');
  // A long one behind what is too deep to be looked up, and brackets that open long before commas.
  const std::string behind = "[" + nested + "," + many + "]";
  const std::string chain = std::string(40, '[') + std::string(40, ']');
  std::string chains = std::string(20, '[') + chain;
  for (int i = 0; i < 9; ++i) chains.append(",").append(chain);
  chains += std::string(20, ']');
  std::string closed_behind_nothing = "[[";
  for (int i = 0; i < 150; ++i) closed_behind_nothing += "1,";
  closed_behind_nothing += "{}],2]";
  Reader in;  // one for all: what it knew of a text is nothing to the next one
  for (std::string whole : {text, spaced, many, nested, "[{},[" + many + ',' + nested + "],{},{}]",
                            "[" + many + ',' + text + ',' + many + ',' + nested + "]", behind,
                            chains, closed_behind_nothing}) {
    const webhook::read::Body body(whole);
    ASSERT_TRUE(in.start(body.bytes()));
    const Reader::Mark root = in.mark();
    std::vector<Reader::Mark> places;
    std::vector<std::ptrdiff_t> ends;
    const std::function<bool()> walk = [&] {
      const std::size_t index = ends.size();
      places.push_back(in.mark());
      ends.emplace_back();
      bool good = false;
      if (in.kind() == ValueKind::object)
        good = in.object([&](std::string_view) { return walk(); });
      else if (in.kind() == ValueKind::array)
        good = in.array([&](std::size_t) { return walk(); });
      else
        good = in.skip();
      ends[index] = in.mark().next - root.next;
      return good;
    };
    ASSERT_TRUE(walk() && in.finish()) << whole;
    in.go_to(root);
    ASSERT_TRUE(in.skip());
    const auto ends_there = [&](std::size_t i) {
      in.go_to(places[i]);
      ASSERT_TRUE(in.skip());
      EXPECT_EQ(in.mark().next - root.next, ends[i]) << whole << ' ' << i;
    };
    for (std::size_t i = 0; i < places.size(); ++i) ends_there(i);
    for (std::size_t i = places.size(); i > 0; --i) ends_there(i - 1);
    // The last first: nothing in front of it was looked at then.
    ASSERT_TRUE(in.start(body.bytes()) && in.skip());
    for (std::size_t i = places.size(); i > 0; --i) ends_there(i - 1);
  }
}

// Only a part of it was skipped before: where the whole is cut off, it is no value.
TEST(JsonSkip, refuses_what_is_cut_off_behind_what_was_skipped) {
  const std::string whole = R"({"a":{"b":{},"c":[{}]},"d":{}})";
  for (std::size_t size = 1; size < whole.size(); ++size) {
    std::string text = whole.substr(0, size);
    const webhook::read::Body body(text);
    Reader in;
    if (!in.start(body.bytes())) continue;
    const Reader::Mark root = in.mark();
    EXPECT_FALSE(in.object([&](std::string_view) { return in.skip(); })) << text;
    in.clear_error();
    in.go_to(root);
    EXPECT_FALSE(in.skip()) << text;
  }
}

TEST(JsonSkip, refuses_what_is_long_and_cut_off) {
  std::string whole = "[[";
  for (int i = 0; i < 200; ++i) whole += "[1],";
  whole += "[1]";
  const std::string text = whole + std::string(webhook::read::padding, ']');
  Reader in;
  ASSERT_TRUE(in.start(std::string_view(text).substr(0, whole.size())));
  std::vector<Reader::Mark> marks{in.mark()};
  EXPECT_FALSE(in.array([&](std::size_t) {
    marks.push_back(in.mark());
    return in.array([&](std::size_t) { return in.skip(); });
  }));
  // The inner one first.
  for (std::size_t i = marks.size(); i > 0; --i) {
    in.clear_error();
    in.go_to(marks[i - 1]);
    EXPECT_FALSE(in.skip()) << i;
  }
}

// The bytes behind a text may be anything: here what would go on with it.
TEST(JsonSkip, ends_with_the_text) {
  const std::string whole = R"({"a":{"b":{},"c":"d"},"e":{}})";
  const std::string text = whole + whole + std::string(webhook::read::padding, '}');
  Reader in;
  for (std::size_t size = 1; size < whole.size(); ++size) {
    const std::string_view cut = std::string_view(text).substr(0, size);
    EXPECT_FALSE(in.start(cut) && in.skip()) << cut;
  }
  EXPECT_TRUE(in.start(std::string_view(text).substr(0, whole.size())) && in.skip() && in.finish());
}

// Where a text ends, what stands behind it is no part of it, nor of what is said of it.
TEST(JsonText, that_ends_says_so_whatever_is_behind_it) {
  const std::string whole = R"({"s":1,"a":{"b":[{},[]],"c":"d"},"e":[1,true,null,{"f":""}]})";
  const std::string text = whole + std::string(webhook::read::padding, '}');
  const auto said = [](std::string_view bytes) {
    Reader in;
    std::string saw;
    if (in.start(bytes)) read_all(in, saw);
    return saw + in.error().text();
  };
  for (std::size_t size = 1; size < whole.size(); ++size) {
    std::string cut = text.substr(0, size);
    const webhook::read::Body body(cut);
    EXPECT_EQ(said(std::string_view(text).substr(0, size)), said(body.bytes())) << cut;
  }
  Reader in;
  ASSERT_TRUE(in.start(std::string_view(text).substr(0, text.find('1'))));
  EXPECT_FALSE(in.object([&](std::string_view) { return in.skip(); }));
  EXPECT_EQ(in.error().text(), "the text ends where a value should be");
  const std::string list = "[1,1]" + std::string(webhook::read::padding, ' ');
  EXPECT_FALSE(in.start(std::string_view(list).substr(0, 2)) && in.skip());
  EXPECT_EQ(in.error().text(), "the text ends where ',' or a closing bracket should be");
}

TEST(JsonSkip, says_where_it_stopped) {
  struct Stop {
    const char* text;
    const char* error;
  };
  for (const Stop& stop :
       {Stop{"[1,[2,]]", "expected a value at byte 6"},
        {R"({"a":{"b" 1}})", "expected a key at byte 6"},
        {R"({"x":{},"a" 1:2})", "expected a key at byte 8"},
        {R"({"x":{"a" 1:2},"b":3})", "expected a key at byte 6"},
        {R"({"x":1,"a" 1:2})", "expected a key at byte 7"},
        {R"([{"x":1},{"a" 1:2,"b":3}])", "expected a key at byte 10"},
        {R"([{"a":1])", "expected ',' or a closing bracket at byte 7"},
        {"[[1],[2]", "the text ends where ',' or a closing bracket should be"}}) {
    std::string error;
    EXPECT_FALSE(accepts(stop.text, Way::skipped, &error));
    EXPECT_TRUE(has(error, stop.error)) << stop.text << ": " << error;
  }
}

TEST(JsonSkip, takes_exactly_one_value) {
  std::string text = R"({"a":{"x":[{}]},"b":"y","c":3,"d":[],"e":4})";
  const webhook::read::Body body(text);
  Reader in;
  std::string saw;
  ASSERT_TRUE(in.start(body.bytes()));
  EXPECT_TRUE(in.object([&](std::string_view key) {
    saw += key;
    return in.skip();
  }));
  EXPECT_TRUE(in.finish());
  EXPECT_EQ(saw, "abcde");
}

// Of a list, too, whatever stands beside it that could be taken in one step with it.
TEST(JsonSkip, takes_exactly_one_element) {
  for (const char* each : {"{}", "[]", "{\"a\":1}", "{\"a\":{}}", "[[]]", "[{}]", "1", "\"x\""})
    for (const char* other : {"{}", "[]", "{\"a\":1}", "{\"b\":{\"c\":{}}}", "null"}) {
      std::string text = "[";
      for (int i = 0; i < 4; ++i) text.append(each).append(",").append(other).append(",");
      text += "0]";
      const webhook::read::Body body(text);
      Reader in;
      std::size_t elements = 0;
      ASSERT_TRUE(in.start(body.bytes()));
      EXPECT_TRUE(in.array([&](std::size_t) {
        ++elements;
        return in.skip();
      }));
      EXPECT_EQ(elements, 9u) << text;
    }
}

// --- What the reader remembers ----------------------------------------------------------

TEST(JsonReaderState, decoded_strings_stay_where_they_are) {
  std::string text = "[";
  for (int i = 0; i < 5000; ++i) text += "\"\\u0061" + std::to_string(i) + "\",";
  text += "1]";
  const webhook::read::Body body(text);
  Reader in;
  std::vector<std::string_view> seen;
  ASSERT_TRUE(in.start(body.bytes()));
  ASSERT_TRUE(in.array([&](std::size_t) {
    return in.kind() == ValueKind::number ? in.skip() : in.string(seen.emplace_back());
  }));
  ASSERT_EQ(seen.size(), 5000u);
  for (std::size_t i = 0; i < seen.size(); ++i) EXPECT_EQ(seen[i], "a" + std::to_string(i));
}

TEST(JsonReaderState, a_mark_leads_back) {
  std::string text = R"({"o":{"x":1},"k":"v"})";
  const webhook::read::Body body(text);
  Reader in;
  Reader::Mark mark;
  EXPECT_FALSE(mark);
  ASSERT_TRUE(in.start(body.bytes()));
  ASSERT_TRUE(in.object([&](std::string_view key) {
    if (key == "o") mark = in.mark();
    return in.skip();
  }));
  ASSERT_TRUE(in.finish());
  ASSERT_TRUE(mark);
  in.go_to(mark);
  std::string saw;
  EXPECT_TRUE(read_all(in, saw));
  EXPECT_EQ(saw, "{x=1 }");
}

TEST(JsonReaderState, an_empty_object_is_taken_where_it_is_one) {
  for (const std::string_view given :
       {"{}", "{ }", "[]", "{\"a\":1}", "{]", "{", "1", "\"{}\"", ""}) {
    std::string text = std::string("[").append(given);
    const webhook::read::Body body(text);
    Reader in;
    bool taken = false;
    if (!in.start(body.bytes())) continue;  // an unclosed string
    in.array([&](std::size_t) {
      const Reader::Mark before = in.mark();
      taken = in.take_empty_object();
      EXPECT_EQ(in.mark().next - before.next, taken ? 2 : 0) << given;
      return false;
    });
    EXPECT_EQ(taken, given == "{}") << given;
  }
}

TEST(JsonReaderState, an_empty_object_behind_the_text_is_none) {
  const std::string text = "[{}" + std::string(webhook::read::padding, ' ');
  Reader in;
  ASSERT_TRUE(in.start(std::string_view(text).substr(0, 1)));
  in.array([&](std::size_t) {
    EXPECT_FALSE(in.take_empty_object());
    return false;
  });
}

TEST(JsonReaderState, an_empty_object_counts_as_a_level) {
  for (const std::size_t levels : {63u, 64u}) {
    std::string text = nested(levels, "[", "{}", "]");
    const webhook::read::Body body(text);
    Reader in;
    bool taken = false;
    const std::function<bool(std::size_t)> element = [&](std::size_t) {
      if (in.kind() == ValueKind::array) return in.array(element);
      taken = in.take_empty_object();
      return taken || in.object([](std::string_view) { return false; });
    };
    ASSERT_TRUE(in.start(body.bytes()));
    EXPECT_EQ(in.array(element), levels < 64);
    EXPECT_EQ(taken, levels < 64);
  }
}

// Forward and back over strings with escapes and without, in any order: what is known of
// backslashes from one place is never taken for another.
TEST(JsonReaderState, what_is_known_of_escapes_is_good_in_both_directions) {
  const std::string strings[] = {"a", R"(\u0062)", "c", R"(\\)", "", R"(e\n)", "f", "g"};
  std::vector<std::string> whole = {"a", "b", "c", "\\", "", "e\n", "f", "g"};
  std::string text = "[";
  for (int round = 0; round < 3; ++round)
    for (const std::string& each : strings) {
      text += R"({"skipped":")";
      text += each + R"(","k":")" + each + "\"},";
    }
  text += "0]";
  const webhook::read::Body body(text);
  for (unsigned step = 1; step <= 11; ++step) {
    Reader in;
    std::vector<Reader::Mark> marks;
    ASSERT_TRUE(in.start(body.bytes()));
    ASSERT_TRUE(in.array([&](std::size_t) {
      if (in.kind() == ValueKind::object) marks.push_back(in.mark());
      return in.skip();
    }));
    ASSERT_EQ(marks.size(), 3 * whole.size());
    for (std::size_t i = 0, at = step; i < 100; ++i, at = (at + step) % marks.size()) {
      in.go_to(marks[at]);
      std::string_view value;
      ASSERT_TRUE(in.object([&](std::string_view key) {
        return key == "k" || (i % 3) == 0 ? in.string(value) : in.skip();
      }));
      ASSERT_EQ(value, whole[at % whole.size()]) << step << ' ' << i;
      if (i % 5 == 0) at = 0;
    }
  }
}

// However often, and wherever the last backslash was.
TEST(JsonReaderState, a_string_without_escapes_is_a_part_of_the_text) {
  std::string text = R"(["ab", "\n", "cd" ,"", "\t","ef"])";
  const webhook::read::Body body(text);
  Reader in;
  ASSERT_TRUE(in.start(body.bytes()));
  const Reader::Mark root = in.mark();
  for (int round = 0; round < 2; ++round) {
    in.go_to(root);
    ASSERT_TRUE(in.array([&](std::size_t index) {
      std::string_view value;
      if (!in.string(value)) return false;
      const bool inside = value.data() >= text.data() && value.data() < text.data() + text.size();
      EXPECT_EQ(inside, index != 1 && index != 4) << index;
      return true;
    }));
  }
}

// Two texts in the same memory, one after the other: where the first had backslashes says nothing
// of the second.
TEST(JsonReaderState, what_is_known_of_escapes_ends_with_the_text) {
  std::string text = R"(["ab","cd"])";
  const webhook::read::Body body(text);
  Reader in;
  std::string saw;
  ASSERT_TRUE(in.start(body.bytes()) && read_all(in, saw));
  EXPECT_EQ(saw, "[0='ab'1='cd']");
  std::ranges::copy(std::string_view(R"(["\n","\t"])"), text.begin());
  saw.clear();
  ASSERT_TRUE(in.start(body.bytes()) && read_all(in, saw));
  EXPECT_EQ(saw, "[0='\n'1='\t']");
}

TEST(JsonReaderState, a_failure_ends_with_the_text) {
  Reader in;
  std::string bad = "[", good = "[1]";
  std::string saw;
  ASSERT_TRUE(in.start(webhook::read::Body(bad).bytes()));
  EXPECT_FALSE(read_all(in, saw));
  EXPECT_TRUE(in.failed());
  ASSERT_TRUE(in.start(webhook::read::Body(good).bytes()));
  EXPECT_FALSE(in.failed());
  saw.clear();
  EXPECT_TRUE(read_all(in, saw) && in.finish());
}

TEST(JsonReaderState, a_failure_may_be_said_again) {
  Reader in;
  EXPECT_FALSE(in.fail(Errc::bad_json, "no more"));
  const Error why = in.error();
  in.clear_error();
  EXPECT_EQ(in.error().text(), "");
  EXPECT_FALSE(in.fail(why));
  EXPECT_TRUE(in.failed());
  EXPECT_EQ(in.error().text(), "no more");
  in.clear_error();
  EXPECT_EQ(in.error().text(), "");
}

TEST(JsonReaderState, the_path_leads_to_the_value) {
  std::string text = R"({"a":[{"b":{"c d":5}}]})";
  const webhook::read::Body body(text);
  Reader in;
  ASSERT_TRUE(in.start(body.bytes()));
  std::string_view out;
  EXPECT_FALSE(in.object([&](std::string_view) {
    return in.array([&](std::size_t) {
      return in.object([&](std::string_view) {
        return in.object([&](std::string_view) { return in.string(out); });
      });
    });
  }));
  EXPECT_EQ(in.error().text(), "a[0].b.c d: expected a string, got a number");
  EXPECT_EQ(in.error().code(), Errc::wrong_type);
}

// A key is somebody's text: of a long one its beginning is shown.
TEST(JsonReaderState, the_path_shows_eighty_characters_of_a_key) {
  for (const std::size_t length : {80u, 81u}) {
    std::string text = "{\"" + std::string(length, 'k') + "\":5}";
    const webhook::read::Body body(text);
    Reader in;
    ASSERT_TRUE(in.start(body.bytes()));
    std::string_view out;
    EXPECT_FALSE(in.object([&](std::string_view) { return in.string(out); }));
    const std::string shown =
        length == 80 ? std::string(80, 'k') : std::string(77, 'k').append("...");
    EXPECT_EQ(in.error().text(), shown + ": expected a string, got a number");
  }
}

TEST(JsonReaderState, a_key_may_stand_once) {
  Reader in;
  Seen seen = 0;
  EXPECT_TRUE(in.first(seen, 0));
  EXPECT_TRUE(in.first(seen, 31));
  EXPECT_FALSE(in.first(seen, 31));
  EXPECT_EQ(in.error().code(), Errc::duplicate_key);
}

TEST(JsonSkip, goes_back_to_the_depth_of_the_mark) {
  const std::string whole = "{\"a\":" + std::string(63, '[') + std::string(63, ']') + "}";
  std::string text = whole;
  const webhook::read::Body body(text);
  Reader in;
  ASSERT_TRUE(in.start(body.bytes()));
  const Reader::Mark root = in.mark();
  EXPECT_FALSE(in.object([&](std::string_view) { return in.fail(Errc::bad_json, "no more"); }));
  in.clear_error();
  in.go_to(root);
  EXPECT_TRUE(in.skip()) << "64 levels from there on";
}

}  // namespace
}  // namespace tpuwh::base::json
