// The evaluator that partition_test.cpp believes.
#include "tests/unit/kubectl/reference/rules/cel.hpp"

#include <gtest/gtest.h>

#include "tests/support/named_case.hpp"

namespace tpuwh::test::cel {
namespace {

struct Evaluated {
  std::string_view name, text;
  bool want = true;
};

class Cel : public testing::TestWithParam<Evaluated> {};

const Json& pod() {
  static const Json object = {
      {"metadata", {{"labels", {{"a", "x"}, {"b", ""}}}}},
      {"spec",
       {{"containers", Json::array({{{"name", "c"}, {"n", 7}}, {{"name", "d"}}})},
        {"none", nullptr}}}};
  return object;
}

TEST_P(Cel, evaluates) {
  EXPECT_EQ(Expression(GetParam().text).holds(pod()), GetParam().want);
}

INSTANTIATE_TEST_SUITE_P(
    All, Cel,
    testing::Values(
        Evaluated{"precedence", "true || false && false"},
        Evaluated{"parentheses", "(true || false) && false", false},
        Evaluated{"ternary_is_last", "true || true ? false : true", false},
        Evaluated{"ternary_in_ternary", "false ? true : false ? false : true"},
        Evaluated{"not", "!false && !(true && false)"},
        Evaluated{"has", "has(object.metadata.labels) && !has(object.metadata.annotations)"},
        Evaluated{"null", "object.spec.none == null && object.spec.containers != null"},
        Evaluated{"optional_field", "object.metadata.?annotations.orValue({}).size() == 0"},
        Evaluated{"optional_index", "object.metadata.labels[?'a'].orValue('') == 'x'"},
        Evaluated{"optional_index_of_none", "object.metadata.labels[?'z'].orValue('') != ''",
                  false},
        Evaluated{"empty_label", "object.metadata.labels[?'b'].orValue('') != ''", false},
        Evaluated{"in", "'a' in object.metadata.labels && !('z' in object.metadata.labels)"},
        Evaluated{"exists", "object.spec.containers.exists(c, c.name == 'd')"},
        Evaluated{"exists_of_a_map", "object.metadata.labels.exists(k, k.startsWith('a'))"},
        Evaluated{"a_name_for_a_value", "[object.spec].exists(s, s.containers.size() > 1)"},
        Evaluated{"filter", "object.spec.containers.filter(c, has(c.n))[0].name == 'c'"},
        Evaluated{"an_error_beside_what_decides", "object.none.x == 1 || true"},
        Evaluated{"an_error_before_what_decides", "object.spec.containers.exists(c, c.n == 7)"},
        Evaluated{"other_types", "object.spec.containers[0].n == 'c'", false}),
    case_name);

TEST(Cel, tells_errors) {
  for (const char* text : {"object.none", "object.spec.containers[2].name == ''", "object.spec",
                           "object.none.x || false", "object.spec.none.exists(c, true)",
                           "object.spec.containers.exists(c, c.n == 8)"})
    EXPECT_THROW(Expression(text).holds(pod()), EvaluationError) << text;
  for (const char* text : {"", "true true", "(true", "'x"})
    EXPECT_THROW(Expression{text}, std::invalid_argument) << text;
}

}  // namespace
}  // namespace tpuwh::test::cel
