#include "kubectl/inspect/source/documents.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tpuwh::server::source {
namespace {

using std::string_literals::operator""s;

// Returns each document as "LINE VALUE" on a line of its own, and then the message of the fault if
// there is one.
std::string documents_of(const std::string& bytes, text::Twice twice = text::Twice::last_holds) {
  const Documents documents(bytes, twice);
  std::vector<std::string> out;
  for (const Document& each : documents.all())
    out.push_back(std::to_string(each.line) + " " + std::string(each.json));
  if (documents.fault()) out.push_back(documents.fault()->text());
  return fmt::format("{}", fmt::join(out, "\n"));
}

std::string utf16(std::string_view ascii, bool big, bool mark) {
  std::string out;
  const auto put = [&](char high, char low) {
    out += big ? high : low;
    out += big ? low : high;
  };
  if (mark) put('\xfe', '\xff');
  for (const char c : ascii) put('\0', c);
  return out;
}

TEST(TheDocuments, are_read_one_behind_another) {
  const std::string a = R"({"a":1})", b = R"({"b":2})", c = R"({"c":3})";
  const std::string printed = "{\n  \"a\": 1\n}";
  const std::pair<std::string, std::string> cases[] = {
      {" \n", ""},
      {"# a\n---\n# b\n", ""},
      {a, "1 " + a},
      {printed + "\n" + printed + "\n", "1 " + printed + "\n4 " + printed},
      {"{}{} {}", "1 {}\n1 {}\n1 {}"},
      {a + "\n\n" + b + "\r\n", "1 " + a + "\n3 " + b},
      // These inputs have comments, document marks and directives.
      {"# x\n" + a + "\n" + b + "\n", "2 " + a + "\n3 " + b},
      {a + "\n  # \"x\n{\"b\":\n# y\n2}\n", "1 " + a + "\n3 {\"b\":\n   \n2}"},
      {"---\n" + a + "\n---\n" + b + "\n" + c + "\n...\n", "2 " + a + "\n4 " + b + "\n5 " + c},
      {"a: 1\n---\n# x\nb: 2\n--- # y\nc: 3\n", "1 " + a + "\n4 " + b + "\n6 " + c},
      {"a: 1\n...\nb: 2\n", "1 " + a + "\n3 " + b},
      {"a: 1\n---\n" + b + "\n", "1 " + a + "\n3 " + b},
      {"{a: 1, b: [x]}", R"(1 {"a":1,"b":["x"]})"},
      {"a: |\n  ---\n  ...\n", R"(1 {"a":"---\n...\n"})"},
      {"%YAML 1.1\n---\na: 1\n", "3 " + a},
      // Encodings.
      {"\xef\xbb\xbf" + a + "\n" + b + "\n", "1 " + a + "\n2 " + b},
      {utf16(a + "\n" + b, false, true), "1 " + a + "\n2 " + b},
      {utf16("a: 1\n", true, true), "1 " + a},
      {utf16(a, false, false), "1 " + a},
      {"\xff\xfe\"\0=\xd8\0\xde\"\0"s, "1 \"\xf0\x9f\x98\x80\""},
      // `kubectl cluster-info dump` prints logs between the objects.
      {a +
           "\n==== START logs for container c of pod ml/p ====\n{ --- [\n---\n'\n"
           "==== END logs for container c of pod ml/p ====\n" +
           b + "\n",
       "1 " + a + "\n7 " + b},
  };
  for (const auto& [bytes, want] : cases) EXPECT_EQ(documents_of(bytes), want) << bytes;
}

TEST(TheDocuments, end_with_a_fault) {
  const std::string a = "{\"a\":1}\n", one = "1 {\"a\":1}\n";
  const std::string cut_off = ": the text ends inside a value: it is cut off";
  const std::string second = ": a second value follows the first; expected --- between them";
  const std::pair<std::string, std::string> cases[] = {
      {a + "{\n  \"a\": [1,\n", one + "line 3" + cut_off},
      {a + "{\"b", one + "line 2" + cut_off},
      {a + "{\n", one + "line 2" + cut_off},
      {a + "x\n", one + "line 2, column 1: not JSON"},
      {a + "b: 2\n", one + "line 2, column 1: not JSON"},
      {"{a: 1} {b: 2}\n", "line 1" + second},
      {"  a: 1\nb: 2\n", "line 2" + second},
      {"a: 1\n---\nb: [\n", one + "line 4: not YAML: end of sequence flow not found"},
      {a + std::string(65, '['), one + "line 2, column 64: nested deeper than 64 levels"},
      {"\x1f\x8b\x08", "it is packed by gzip; expected its content (gzip -dc)"},
      {"PK\x03\x04", "it is a zip archive; expected the files in it (unzip)"},
      {std::string(257, 'x') + "ustar", "it is a tar archive; expected the files in it (tar -xf)"},
      {"\xff\xfe{", "the text is not valid UTF-16"},
      {"\xff\xfe\0\xd8{\0"s, "the text is not valid UTF-16"},
  };
  for (const auto& [bytes, want] : cases) EXPECT_EQ(documents_of(bytes), want) << bytes;
}

// kubectl reads the last; of two documents without a mark between the first would be gone.
TEST(Documents, where_a_key_stands_twice_may_be_refused) {
  const std::string text = "kind: A\na: 1\nkind: B\n";
  EXPECT_EQ(documents_of(text), R"(1 {"kind":"B","a":1})");
  EXPECT_EQ(documents_of(text, text::Twice::refused),
            "line 3: duplicate key kind; expected --- before a second document");
}

}  // namespace
}  // namespace tpuwh::server::source
