#include "kubectl/predict/wrappers/path.hpp"

#include "tests/support/named_case.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tpuwh::server::wrappers {
namespace {

using test::case_name;
using test::PrintTo;
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

struct NoPath {
  std::string name, text;
};

class NoPaths : public testing::TestWithParam<NoPath> {};

TEST_P(NoPaths, is_refused) {
  const auto path = Path::parse(GetParam().text);
  ASSERT_FALSE(path);
  EXPECT_NE(path.error().text().find("expected a path such as"), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Texts, NoPaths,
                         testing::Values(NoPath{"empty", ""}, NoPath{"dollar", "$.a"},
                                         NoPath{"a_dot_at_the_end", "a."},
                                         NoPath{"two_dots", "a..b"}, NoPath{"open", "a[*"},
                                         NoPath{"no_number", "a[-1]"}, NoPath{"slash", "/a/b"},
                                         NoPath{"only_an_element", "[*]"},
                                         NoPath{"behind_an_element", "a[0]b"}),
                         case_name);

TEST(APointer, is_spoken_as_a_path) {
  EXPECT_EQ(spoken(Pointer("/spec/components/0/template")), "spec.components[0].template");
  EXPECT_EQ(spoken(Pointer("")), "");
}

}  // namespace
}  // namespace tpuwh::server::wrappers
