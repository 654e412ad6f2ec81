// The judge of the patches has to be able to say no.
#include "tests/support/answer.hpp"

#include <gtest/gtest.h>

#include <ostream>
#include <string_view>

namespace tpuwh::test {
namespace {

constexpr std::string_view document = R"({
  "map": {"a": 1, "empty": "", "null": null, "a/b": 2, "m~n": 3}, "list": [0, 1, 2]
})";

struct Patch {
  std::string_view name;
  std::string_view patch;
  std::string_view want;  // a pointer and the value that stands there afterwards
  std::string_view value;
};
void PrintTo(const Patch& c, std::ostream* out) {
  *out << c.name;
}
constexpr auto case_name = [](const auto& info) { return std::string(info.param.name); };

class StrictPatchAccepts : public ::testing::TestWithParam<Patch> {};

TEST_P(StrictPatchAccepts, operation) {
  Patched patched = apply_patch(Json::parse(document), Json::parse(GetParam().patch));
  ASSERT_EQ(patched.broken, "");
  EXPECT_EQ(patched.object[Json::json_pointer(std::string(GetParam().want))],
            Json::parse(GetParam().value));
}

constexpr Patch good[] = {
    {"nothing", "[]", "/map/a", "1"},
    {"add_member", R"([{"op":"add","path":"/map/b","value":5}])", "/map/b", "5"},
    {"add_over_null", R"([{"op":"add","path":"/map/null","value":5}])", "/map/null", "5"},
    {"add_over_empty", R"([{"op":"add","path":"/map/empty","value":"x"}])", "/map/empty", R"("x")"},
    {"add_first", R"([{"op":"add","path":"/list/0","value":5}])", "/list", "[5,0,1,2]"},
    {"add_last", R"([{"op":"add","path":"/list/3","value":5}])", "/list", "[0,1,2,5]"},
    {"append", R"([{"op":"add","path":"/list/-","value":5}])", "/list", "[0,1,2,5]"},
    {"slash", R"([{"op":"replace","path":"/map/a~1b","value":5}])", "/map/a~1b", "5"},
    {"tilde", R"([{"op":"replace","path":"/map/m~0n","value":5}])", "/map/m~0n", "5"},
    {"remove", R"([{"op":"remove","path":"/list/1"}])", "/list", "[0,2]"},
    {"parent_then_child",
     R"([{"op":"add","path":"/new","value":{}},{"op":"add","path":"/new/x","value":1}])", "/new/x",
     "1"},
};
INSTANTIATE_TEST_SUITE_P(, StrictPatchAccepts, ::testing::ValuesIn(good), case_name);

struct Bad {
  std::string_view name;
  std::string_view patch;
};
void PrintTo(const Bad& c, std::ostream* out) {
  *out << c.name;
}

class StrictPatchRejects : public ::testing::TestWithParam<Bad> {};

TEST_P(StrictPatchRejects, operation) {
  const Patched patched = apply_patch(Json::parse(document), Json::parse(GetParam().patch));
  EXPECT_NE(patched.broken, "") << patched.object;
}

// Each of these passes on at least one applier in use (docs/facts.md#json-patch).
constexpr Bad bad[] = {
    {"no_array", R"({"op":"add","path":"/x","value":1})"},
    {"no_object", R"(["add"])"},
    {"other_operation", R"([{"op":"test","path":"/map/a","value":1}])"},
    {"upper_case", R"([{"OP":"add","path":"/x","value":1}])"},
    {"other_member", R"([{"op":"add","path":"/x","value":1,"from":"/map"}])"},
    {"no_value", R"([{"op":"add","path":"/x"}])"},
    {"remove_with_value", R"([{"op":"remove","path":"/map/a","value":1}])"},
    {"root", R"([{"op":"replace","path":"","value":1}])"},
    {"no_slash", R"([{"op":"add","path":"map/b","value":1}])"},
    {"bad_escape", R"([{"op":"add","path":"/map/~2","value":1}])"},
    {"cut_escape", R"([{"op":"add","path":"/map/~","value":1}])"},
    {"no_number", "[5]"},
    {"missing_parent", R"([{"op":"add","path":"/no/b","value":1}])"},
    {"null_parent", R"([{"op":"add","path":"/map/null/b","value":1}])"},
    {"scalar_parent", R"([{"op":"add","path":"/map/a/b","value":1}])"},
    {"add_over_value", R"([{"op":"add","path":"/map/a","value":1}])"},
    {"add_past_end", R"([{"op":"add","path":"/list/4","value":1}])"},
    {"negative_index", R"([{"op":"add","path":"/list/-1","value":1}])"},
    {"leading_zero", R"([{"op":"replace","path":"/list/01","value":1}])"},
    {"replace_missing", R"([{"op":"replace","path":"/map/b","value":1}])"},
    {"replace_dash", R"([{"op":"replace","path":"/list/-","value":1}])"},
    {"remove_missing", R"([{"op":"remove","path":"/map/b"}])"},
    {"remove_past_end", R"([{"op":"remove","path":"/list/3"}])"},
    {"second_fails", R"([{"op":"add","path":"/x","value":1},{"op":"remove","path":"/map/b"}])"},
};
INSTANTIATE_TEST_SUITE_P(, StrictPatchRejects, ::testing::ValuesIn(bad), case_name);

}  // namespace
}  // namespace tpuwh::test
