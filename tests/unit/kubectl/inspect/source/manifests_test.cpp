#include "kubectl/inspect/source/manifests.hpp"

#include "server/text/json_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

namespace tpuwh::server::source {
namespace {

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

TEST(AnInput, without_manifests_says_what_it_holds) {
  const std::pair<std::string, const char*> cases[] = {
      {" \n", "standard input is empty; expected a manifest"},
      {"---\n---\n", "it holds no objects"},
      {"hello", "document 1 is not an object"},
      {"kind: A\n---\na: b\n", "object 2 has no kind"},
      {"a: [\n", "line 2: not YAML"},
      {"{\"kind\":\"A\"}\n{\n", "line 2:"},
      {"kind: A\n#" + std::string(max_manifest_bytes, 'x'), "more than 8 MiB"},
  };
  for (const auto& [text, why] : cases) {
    SCOPED_TRACE(why);
    const auto manifests = read(text);
    ASSERT_FALSE(manifests);
    EXPECT_THAT(std::string(manifests.error().text()), HasSubstr(why));
  }
}

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
