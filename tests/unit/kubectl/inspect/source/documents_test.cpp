#include "kubectl/inspect/source/documents.hpp"

#include "tests/support/named_case.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tpuwh::server::source {
namespace {

using test::PrintTo;
using testing::ElementsAreArray;
using std::string_literals::operator""s;

// What is read, each "LINE VALUE"; a fault behind it as it is said.
std::vector<std::string> documents_of(const std::string& bytes,
                                      text::Twice twice = text::Twice::last_holds) {
  const Documents documents(bytes, twice);
  std::vector<std::string> out;
  for (const Document& each : documents.all())
    out.push_back(std::to_string(each.line) + " " + std::string(each.json));
  if (documents.fault()) out.push_back(documents.fault()->text());
  return out;
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

struct Text {
  const char* name;
  std::string bytes;
  std::vector<std::string> want;
};

class TheDocuments : public testing::TestWithParam<Text> {};

TEST_P(TheDocuments, are_read_one_behind_another) {
  EXPECT_THAT(documents_of(GetParam().bytes), ElementsAreArray(GetParam().want));
}

const std::string on_lines = "{\n  \"a\": 1\n}\n";

INSTANTIATE_TEST_SUITE_P(
    Cases, TheDocuments,
    testing::Values(
        Text{"nothing", " \n", {}}, Text{"comments", "# a\n---\n# b\n", {}},
        Text{"one", "{\"a\":1}", {"1 {\"a\":1}"}},
        Text{"printed", on_lines + on_lines, {"1 {\n  \"a\": 1\n}", "4 {\n  \"a\": 1\n}"}},
        Text{"on_one_line", "{}{} {}", {"1 {}", "1 {}", "1 {}"}},
        Text{"lines", "{\"a\":1}\n\n{\"b\":2}\r\n", {"1 {\"a\":1}", "3 {\"b\":2}"}},
        Text{"lines_behind_a_comment",
             "# x\n{\"a\":1}\n{\"b\":2}\n",
             {"2 {\"a\":1}", "3 {\"b\":2}"}},
        Text{"json_with_comments",
             "{\"a\":1}\n  # \"x\n{\"b\":\n# y\n2}\n",
             {"1 {\"a\":1}", "3 {\"b\":\n   \n2}"}},
        Text{"json_between_marks",
             "---\n{\"a\":1}\n---\n{\"b\":2}\n{\"c\":3}\n...\n",
             {"2 {\"a\":1}", "4 {\"b\":2}", "5 {\"c\":3}"}},
        Text{"yaml",
             "a: 1\n---\n# x\nb: 2\n--- # y\nc: 3\n",
             {"1 {\"a\":1}", "4 {\"b\":2}", "6 {\"c\":3}"}},
        Text{"yaml_behind_an_end", "a: 1\n...\nb: 2\n", {"1 {\"a\":1}", "3 {\"b\":2}"}},
        Text{"yaml_and_json", "a: 1\n---\n{\"b\":2}\n", {"1 {\"a\":1}", "3 {\"b\":2}"}},
        Text{"a_flow_mapping", "{a: 1, b: [x]}", {"1 {\"a\":1,\"b\":[\"x\"]}"}},
        Text{"no_mark_in_a_block", "a: |\n  ---\n  ...\n", {"1 {\"a\":\"---\\n...\\n\"}"}},
        Text{"a_directive", "%YAML 1.1\n---\na: 1\n", {"3 {\"a\":1}"}},
        Text{"a_byte_order_mark",
             "\xef\xbb\xbf{\"a\":1}\n{\"b\":2}\n",
             {"1 {\"a\":1}", "2 {\"b\":2}"}},
        Text{"utf16_little",
             utf16("{\"a\":1}\n{\"b\":2}", false, true),
             {"1 {\"a\":1}", "2 {\"b\":2}"}},
        Text{"utf16_big", utf16("a: 1\n", true, true), {"1 {\"a\":1}"}},
        Text{"utf16_without_mark", utf16("{\"a\":1}", false, false), {"1 {\"a\":1}"}},
        Text{"a_surrogate_pair", "\xff\xfe\"\0=\xd8\0\xde\"\0"s, {"1 \"\xf0\x9f\x98\x80\""}},
        Text{"the_logs_of_a_dump",
             "{\"a\":1}\n==== START logs for container c of pod ml/p ====\n{ --- [\n---\n'\n"
             "==== END logs for container c of pod ml/p ====\n{\"b\":2}\n",
             {"1 {\"a\":1}", "7 {\"b\":2}"}}),
    test::case_name);

INSTANTIATE_TEST_SUITE_P(
    Faults, TheDocuments,
    testing::Values(
        Text{"cut_off",
             on_lines + "{\n  \"a\": [1,\n",
             {"1 {\n  \"a\": 1\n}", "line 5: the text ends inside a value: it is cut off"}},
        Text{"cut_off_in_a_string",
             "{\"a\":1}\n{\"b",
             {"1 {\"a\":1}", "line 2: the text ends inside a value: it is cut off"}},
        Text{"a_word_behind", "{\"a\":1}\nx\n", {"1 {\"a\":1}", "line 2, column 1: not JSON"}},
        Text{
            "yaml_behind_json", "{\"a\":1}\nb: 2\n", {"1 {\"a\":1}", "line 2, column 1: not JSON"}},
        Text{"a_broken_line",
             "{\"a\":1}\n{\n",
             {"1 {\"a\":1}", "line 2: the text ends inside a value: it is cut off"}},
        Text{"two_flow_mappings",
             "{a: 1} {b: 2}\n",
             {"line 1: a second value follows the first; expected --- between them"}},
        Text{"a_second_block",
             "  a: 1\nb: 2\n",
             {"line 2: a second value follows the first; expected --- between them"}},
        Text{"no_yaml",
             "a: 1\n---\nb: [\n",
             {"1 {\"a\":1}", "line 4: not YAML: end of sequence flow not found"}},
        Text{"a_deep_value",
             "{\"a\":1}\n" + std::string(65, '['),
             {"1 {\"a\":1}", "line 2, column 64: nested deeper than 64 levels"}},
        Text{"gzip", "\x1f\x8b\x08", {"it is packed by gzip; expected its content (gzip -dc)"}},
        Text{"zip", "PK\x03\x04", {"it is a zip archive; expected the files in it (unzip)"}},
        Text{"tar",
             std::string(257, 'x') + "ustar",
             {"it is a tar archive; expected the files in it (tar -xf)"}},
        Text{"odd_utf16", "\xff\xfe{", {"the text is not valid UTF-16"}},
        Text{"half_a_pair", "\xff\xfe\0\xd8{\0"s, {"the text is not valid UTF-16"}}),
    test::case_name);

// kubectl reads the last; of two documents without a mark between the first would be gone.
TEST(Documents, where_a_key_stands_twice_may_be_refused) {
  const std::string text = "kind: A\na: 1\nkind: B\n";
  EXPECT_THAT(documents_of(text), testing::ElementsAre("1 {\"kind\":\"B\",\"a\":1}"));
  EXPECT_THAT(
      documents_of(text, text::Twice::refused),
      testing::ElementsAre("line 3: duplicate key kind; expected --- before a second document"));
}

}  // namespace
}  // namespace tpuwh::server::source
