#include "kubectl/predict/wrappers/path.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tpuwh::server::wrappers {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> found(const char* path, const Json& object) {
  std::vector<std::string> out;
  for (const Match& each : Path::parse(path).value().find(object))
    out.push_back(each.pointer.to_string());
  return out;
}

TEST(APath, leads_to_each_element) {
  const Json object = Json::parse(R"({"a": [{"b": 1}, {"c": 2}, {"b": null}, {"b": 3}]})");
  EXPECT_THAT(found("a[*].b", object), ElementsAre("/a/0/b", "/a/3/b"));
  EXPECT_THAT(found("a[1].c", object), ElementsAre("/a/1/c"));
  EXPECT_THAT(found("a[4].c", object), IsEmpty());
  EXPECT_THAT(found("a.b", object), IsEmpty());
  EXPECT_THAT(found("a[*][*]", object), IsEmpty());
}

TEST(APath, has_one_place_for_the_elements_of_another) {
  const Path path = Path::parse("a[*].b[*].c").value();
  EXPECT_EQ(path.at({2, 3}).to_string(), "/a/2/b/3/c");
  EXPECT_EQ(path.at({2}).to_string(), "/a/2/b/0/c");
  EXPECT_EQ(path.wildcards(), 2u);
}

TEST(NoPaths, is_refused) {
  for (const char* text : {"", "$.a", "a.", "a..b", "a[*", "a[-1]", "/a/b", "[*]", "a[0]b"}) {
    const auto path = Path::parse(text);
    ASSERT_FALSE(path) << text;
    EXPECT_NE(path.error().text().find("expected a path such as"), std::string::npos);
  }
}

TEST(APointer, is_spoken_as_a_path) {
  EXPECT_EQ(spoken(Pointer("/spec/components/0/template")), "spec.components[0].template");
  EXPECT_EQ(spoken(Pointer("")), "");
}

}  // namespace
}  // namespace tpuwh::server::wrappers
