// The evaluator that partition_test.cpp believes.
#include "tests/unit/kubectl/reference/rules/cel.hpp"

#include <gtest/gtest.h>

namespace tpuwh::test::cel {
namespace {

const Json& pod() {
  static const Json object = {
      {"metadata", {{"labels", {{"a", "x"}, {"b", ""}}}}},
      {"spec",
       {{"containers", Json::array({{{"name", "c"}, {"n", 7}}, {{"name", "d"}}})},
        {"none", nullptr}}}};
  return object;
}

TEST(Cel, evaluates) {
  for (const char* text :
       {"true || false && false", "false ? true : false ? false : true",
        "!false && !(true && false)",
        "has(object.metadata.labels) && !has(object.metadata.annotations)",
        "object.spec.none == null && object.spec.containers != null",
        "object.metadata.?annotations.orValue({}).size() == 0",
        "object.metadata.labels[?'a'].orValue('') == 'x'",
        "'a' in object.metadata.labels && !('z' in object.metadata.labels)",
        "object.spec.containers.exists(c, c.name == 'd')",
        "object.metadata.labels.exists(k, k.startsWith('a'))",
        "[object.spec].exists(s, s.containers.size() > 1)",
        "object.spec.containers.filter(c, has(c.n))[0].name == 'c'", "object.none.x == 1 || true",
        "object.spec.containers.exists(c, c.n == 7)"})
    EXPECT_TRUE(Expression(text).holds(pod())) << text;
  for (const char* text :
       {"(true || false) && false", "true || true ? false : true",
        "object.metadata.labels[?'z'].orValue('') != ''",
        "object.metadata.labels[?'b'].orValue('') != ''", "object.spec.containers[0].n == 'c'"})
    EXPECT_FALSE(Expression(text).holds(pod())) << text;
}

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
