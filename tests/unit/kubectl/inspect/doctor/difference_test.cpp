#include "kubectl/inspect/doctor/difference.hpp"
#include "kubectl/inspect/doctor/condition.hpp"
#include "kubectl/inspect/doctor/selectors.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tpuwh::server::doctor {
namespace {

TEST(DifferenceTest, is_said_field_by_field) {
  const struct {
    const char *found, *wanted, *said;
  } cases[] = {
      {R"({"a":{"b":[1]}})", R"({"a":{"b":[1]}})", ""},
      {R"({"a":{"b":1}})", R"({"a":{"b":2}})", "a.b is 1, expected 2"},
      {R"({"a":{}})", R"({"a":{"b":2}})", "a.b is missing, expected 2"},
      {R"({"a":1,"b":[]})", R"({"a":1})", "b is [], expected none"},
      // Lists of texts are compared as sets, and other lists in their order. The members of an
      // object have no order.
      {R"(["b","a"])", R"(["a","b"])", ""},
      {R"({"l":[2,1]})", R"({"l":[1,2]})", "l is [2,1], expected [1,2]"},
      {R"({"l":[{"a":1,"b":["y","x"]}]})", R"({"l":[{"b":["x","y"],"a":1}]})", ""},
      // Elements are compared by name, if each has its own.
      {R"({"l":[{"name":"x","v":1},{"name":"y"}]})", R"({"l":[{"name":"y"},{"name":"x","v":2}]})",
       "l[x].v is 1, expected 2"},
      {R"({"l":[{"name":"x"},{"name":"x"}]})", R"({"l":[{"name":"x"}]})",
       R"(l is [{"name":"x"},{"name":"x"}], expected [{"name":"x"}])"},
      {R"({"e":"a  &&\n b"})", R"({"e":"a && b"})", ""},  // space does not count
  };
  for (const auto& [found, wanted, said] : cases)
    EXPECT_EQ(sentences(differences(Json::parse(found), Json::parse(wanted))), said)
        << found << ' ' << wanted;
}

TEST(DifferenceTest, a_pointer_leads_to_the_field) {
  const Json found = Json::parse(R"({"a":[{"name":"x"},{"name":"y.z","b":{"c/d":1}}]})");
  EXPECT_EQ(pointer(found, "a[y.z].b.c/d"), "/a/1/b/c~1d");
  EXPECT_EQ(found.at(Json::json_pointer(pointer(found, "a[y.z].b.c/d"))), 1);
  EXPECT_EQ(pointer(found, "a[nobody].b"), "");
}

TEST(NeverTest, says_it_only_where_it_is_certain) {
  for (const char* never : {"false", " ( false )\n", "!true", "false && has(object.spec)",
                            "(has(object.a) || b) && false", "false || !true"})
    EXPECT_TRUE(is_never_true(never)) << never;
  for (const char* sometimes :
       {"false || has(object.spec)", "a ? b : c && false", "[1].exists(x, x == 1 && false)",
        "'false' == object.a", "object.a == '&& false'", "true", ""})
    EXPECT_FALSE(is_never_true(sometimes)) << sometimes;
}

TEST(SelectorTest, contradictions_meet_nobody) {
  const auto nobody = [](const std::string& labels, const std::string& expressions) {
    return meets_nobody(Json::parse(R"({"matchLabels":{)" + labels + R"(},"matchExpressions":[)" +
                                    expressions + "]}"));
  };
  EXPECT_FALSE(meets_nobody(Json::object()));
  EXPECT_FALSE(meets_nobody(nullptr));
  EXPECT_TRUE(
      nobody("", R"({"key":"a","operator":"Exists"},{"key":"a","operator":"DoesNotExist"})"));
  EXPECT_TRUE(nobody(R"("a":"b")", R"({"key":"a","operator":"In","values":["c"]})"));
  EXPECT_TRUE(nobody("", R"({"key":"a","operator":"In","values":["b"]},
                            {"key":"a","operator":"NotIn","values":["b","c"]})"));
  EXPECT_FALSE(nobody("", R"({"key":"a","operator":"In","values":["b","d"]},
                             {"key":"a","operator":"NotIn","values":["b","c"]})"))
      << "d is left";
  EXPECT_FALSE(
      nobody("", R"({"key":"a","operator":"Exists"},{"key":"b","operator":"DoesNotExist"})"));
}

TEST(SelectorTest, one_that_asks_the_same_in_other_words_asks_no_more) {
  const Json labels = Json::parse(R"({"matchLabels":{"a":"b"}})");
  const Json expressions =
      Json::parse(R"({"matchExpressions":[{"key":"a","operator":"In","values":["b"]}]})");
  EXPECT_TRUE(beyond(labels, expressions).empty());
  EXPECT_THAT(beyond(labels, Json::object()), testing::ElementsAre("a in (b)"));
}

}  // namespace
}  // namespace tpuwh::server::doctor
