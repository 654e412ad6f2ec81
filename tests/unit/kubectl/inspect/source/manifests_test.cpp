#include "kubectl/inspect/source/manifests.hpp"

#include "server/text/json_text.hpp"
#include "tests/support/named_case.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

namespace tpuwh::server::source {
namespace {

using test::PrintTo;
using testing::ElementsAre;
using testing::HasSubstr;

Result<std::vector<Manifest>> read(const std::string& text) {
  std::istringstream in(text);
  return read_manifests({"-"}, in);
}

std::vector<std::string> kinds(const std::string& text) {
  std::vector<std::string> out;
  const auto manifests = read(text);
  EXPECT_TRUE(manifests) << manifests.error().text();
  if (!manifests) return out;
  for (const Manifest& each : *manifests)
    out.push_back(text::text_member(each.object, "apiVersion") + " " +
                  text::text_member(each.object, "kind"));
  return out;
}

TEST(Manifests, are_yaml_documents_and_json) {
  EXPECT_THAT(kinds("kind: A\n---\n# nothing\n---\nkind: B\n"), ElementsAre(" A", " B"));
  EXPECT_THAT(kinds(R"({"kind": "A"})"), ElementsAre(" A"));
  EXPECT_THAT(kinds("{\"kind\":\"A\"}\n{\"kind\":\"B\"}\n"), ElementsAre(" A", " B"));
  EXPECT_THAT(kinds("{kind: A}"), ElementsAre(" A"));
}

TEST(Manifests, of_lists_are_their_items) {
  EXPECT_THAT(
      kinds(R"({"kind":"List","items":[{"kind":"A"},{"kind":"List","items":[{"kind":"B"}]}]})"),
      ElementsAre(" A", " B"));
  EXPECT_THAT(kinds(R"({"kind":"PodList","apiVersion":"v1","items":[{},{"kind":"Pod"}]})"),
              ElementsAre("v1 Pod", "v1 Pod"));
}

struct Refused {
  const char* name;
  std::string text;
  const char* why;
};

class AnInput : public testing::TestWithParam<Refused> {};

TEST_P(AnInput, without_manifests_says_what_it_holds) {
  const auto manifests = read(GetParam().text);
  ASSERT_FALSE(manifests);
  EXPECT_THAT(std::string(manifests.error().text()), HasSubstr(GetParam().why));
}

INSTANTIATE_TEST_SUITE_P(
    Cases, AnInput,
    testing::Values(Refused{"empty", " \n", "standard input is empty; expected a manifest"},
                    Refused{"only_marks", "---\n---\n", "it holds no objects"},
                    Refused{"a_word", "hello", "document 1 is not an object"},
                    Refused{"no_kind", "kind: A\n---\na: b\n", "object 2 has no kind"},
                    Refused{"no_yaml", "a: [\n", "line 2: not YAML"},
                    Refused{"a_broken_line", "{\"kind\":\"A\"}\n{\n", "line 2:"},
                    Refused{"too_large", "kind: A\n#" + std::string(max_manifest_bytes, 'x'),
                            "more than 8 MiB"}),
    test::case_name);

// As kubectl reads it, with a word about it.
TEST(AManifest, that_says_a_key_twice_has_the_last_value) {
  struct {
    const char* text;
    const char* note;
  } cases[] = {
      {R"({"kind":"A","a":[0,{"b":1,"b":2}]})", "duplicate key a[1].b; the last one holds"},
      {"{\"kind\":\"B\"}\n{\"kind\":\"A\",\"a\":[0,{\"b\":1,\"b\":2}]}\n",
       "line 2: duplicate key a[1].b"},
      {"kind: A\na:\n- 0\n- b: 1\n  b: 2\n", "line 5: duplicate key b; the last one holds"},
  };
  for (const auto& [text, note] : cases) {
    const auto manifests = read(text);
    ASSERT_TRUE(manifests) << manifests.error().text();
    const Manifest& last = manifests->back();
    EXPECT_EQ(last.object["a"][1]["b"], 2) << text;
    ASSERT_EQ(last.notes.size(), 1u) << text;
    EXPECT_THAT(last.notes.front(), HasSubstr(note));
  }
}

}  // namespace
}  // namespace tpuwh::server::source
