#include "kubectl/inspect/doctor/difference.hpp"
#include "kubectl/inspect/doctor/condition.hpp"
#include "kubectl/inspect/doctor/selectors.hpp"
#include "tests/support/named_case.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tpuwh::server::doctor {
namespace {

using test::case_name;
using test::PrintTo;

struct DifferenceCase {
  const char *name, *found, *wanted, *said;
};

class DifferenceTest : public testing::TestWithParam<DifferenceCase> {};

TEST_P(DifferenceTest, is_said_field_by_field) {
  EXPECT_EQ(sentences(differences(Json::parse(GetParam().found), Json::parse(GetParam().wanted))),
            GetParam().said);
}

INSTANTIATE_TEST_SUITE_P(
    table, DifferenceTest,
    testing::Values(
        DifferenceCase{"same", R"({"a":{"b":[1]}})", R"({"a":{"b":[1]}})", ""},
        DifferenceCase{"another", R"({"a":{"b":1}})", R"({"a":{"b":2}})", "a.b is 1, expected 2"},
        DifferenceCase{"missing", R"({"a":{}})", R"({"a":{"b":2}})", "a.b is missing, expected 2"},
        DifferenceCase{"more", R"({"a":1,"b":[]})", R"({"a":1})", "b is [], expected none"},
        DifferenceCase{"a_set_of_texts", R"(["b","a"])", R"(["a","b"])", ""},
        DifferenceCase{"a_list_has_an_order", R"({"l":[2,1]})", R"({"l":[1,2]})",
                       "l is [2,1], expected [1,2]"},
        DifferenceCase{"members_have_no_order", R"({"l":[{"a":1,"b":["y","x"]}]})",
                       R"({"l":[{"b":["x","y"],"a":1}]})", ""},
        DifferenceCase{"elements_by_name", R"({"l":[{"name":"x","v":1},{"name":"y"}]})",
                       R"({"l":[{"name":"y"},{"name":"x","v":2}]})", "l[x].v is 1, expected 2"},
        DifferenceCase{"names_that_are_shared_are_none", R"({"l":[{"name":"x"},{"name":"x"}]})",
                       R"({"l":[{"name":"x"}]})",
                       R"(l is [{"name":"x"},{"name":"x"}], expected [{"name":"x"}])"},
        DifferenceCase{"space_does_not_count", R"({"e":"a  &&\n b"})", R"({"e":"a && b"})", ""}),
    case_name);

TEST(DifferenceTest, a_pointer_leads_to_the_field) {
  const Json found = Json::parse(R"({"a":[{"name":"x"},{"name":"y.z","b":{"c/d":1}}]})");
  EXPECT_EQ(pointer(found, "a[y.z].b.c/d"), "/a/1/b/c~1d");
  EXPECT_EQ(found.at(Json::json_pointer(pointer(found, "a[y.z].b.c/d"))), 1);
  EXPECT_EQ(pointer(found, "a[nobody].b"), "");
}

struct NeverCase {
  const char* name;
  const char* expression;
  bool never;
};

class NeverTest : public testing::TestWithParam<NeverCase> {};

TEST_P(NeverTest, says_it_only_where_it_is_certain) {
  EXPECT_EQ(is_never_true(GetParam().expression), GetParam().never);
}

INSTANTIATE_TEST_SUITE_P(
    table, NeverTest,
    testing::Values(NeverCase{"false_", "false", true}, NeverCase{"spaced", " ( false )\n", true},
                    NeverCase{"not_true", "!true", true},
                    NeverCase{"before", "false && has(object.spec)", true},
                    NeverCase{"behind", "(has(object.a) || b) && false", true},
                    NeverCase{"either", "false || !true", true},
                    NeverCase{"or_something", "false || has(object.spec)", false},
                    NeverCase{"a_choice", "a ? b : c && false", false},
                    NeverCase{"inside", "[1].exists(x, x == 1 && false)", false},
                    NeverCase{"a_text", "'false' == object.a", false},
                    NeverCase{"a_text_with_an_and", "object.a == '&& false'", false},
                    NeverCase{"true_", "true", false}, NeverCase{"nothing", "", false}),
    case_name);

struct SelectorCase {
  const char* name;
  const char* selector;
  bool nobody;
};

class SelectorTest : public testing::TestWithParam<SelectorCase> {};

TEST_P(SelectorTest, contradictions_meet_nobody) {
  EXPECT_EQ(meets_nobody(Json::parse(GetParam().selector)), GetParam().nobody);
}

INSTANTIATE_TEST_SUITE_P(
    table, SelectorTest,
    testing::Values(SelectorCase{"empty", "{}", false}, SelectorCase{"none", "null", false},
                    SelectorCase{"there_and_not_there",
                                 R"({"matchExpressions":[{"key":"a","operator":"Exists"},
                         {"key":"a","operator":"DoesNotExist"}]})",
                                 true},
                    SelectorCase{"two_values",
                                 R"({"matchLabels":{"a":"b"},
                         "matchExpressions":[{"key":"a","operator":"In","values":["c"]}]})",
                                 true},
                    SelectorCase{"in_and_not_in",
                                 R"({"matchExpressions":[{"key":"a","operator":"In","values":["b"]},
                         {"key":"a","operator":"NotIn","values":["b","c"]}]})",
                                 true},
                    SelectorCase{
                        "one_is_left",
                        R"({"matchExpressions":[{"key":"a","operator":"In","values":["b","d"]},
                         {"key":"a","operator":"NotIn","values":["b","c"]}]})",
                        false},
                    SelectorCase{"of_two_keys",
                                 R"({"matchExpressions":[{"key":"a","operator":"Exists"},
                         {"key":"b","operator":"DoesNotExist"}]})",
                                 false}),
    case_name);

TEST(SelectorTest, one_that_asks_the_same_in_other_words_asks_no_more) {
  const Json labels = Json::parse(R"({"matchLabels":{"a":"b"}})");
  const Json expressions =
      Json::parse(R"({"matchExpressions":[{"key":"a","operator":"In","values":["b"]}]})");
  EXPECT_TRUE(beyond(labels, expressions).empty());
  EXPECT_THAT(beyond(labels, Json::object()), testing::ElementsAre("a in (b)"));
}

}  // namespace
}  // namespace tpuwh::server::doctor
