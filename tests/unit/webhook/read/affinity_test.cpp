#include "webhook/read/affinity.hpp"

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <string_view>
#include <tuple>

#include "tests/support/read_pod.hpp"

namespace tpuwh::webhook::read {
namespace {

using namespace test;

// The value of spec.affinity of a Pod.
struct Affinity {
  explicit Affinity(const std::string& text)
      : read(R"({"metadata":{},"spec":{"affinity":)" + text + "}}") {}
  ReadPod read;
};

std::string node_terms(const std::string& terms) {
  return R"({"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":)" +
         terms + "}}}";
}

TEST(PodTerms, that_say_nothing_ask_for_nothing) {
  for (const char* list : {R"({"preferredDuringSchedulingIgnoredDuringExecution":[{}]})",
                           R"({"requiredDuringSchedulingIgnoredDuringExecution":[{}]})"}) {
    const Affinity affinity(std::string(R"({"podAffinity":)") + list + "}");
    ASSERT_TRUE(affinity.read.good) << affinity.read.in.error().text();
    ASSERT_EQ(affinity.read.pod.pod_terms.size(), 1u);
    EXPECT_EQ(affinity.read.pod.pod_terms[0].begin, affinity.read.pod.pod_terms[0].end);
  }
}

// --- Where the user pinned the Pod ----------------------------------------------------

std::string term(std::string_view key, std::string_view op, std::string_view values) {
  std::string text = R"({"matchExpressions":[{"key":")";
  text.append(key).append(R"(","operator":")").append(op);
  return text.append(R"(","values":)").append(values) + "}]}";
}

TEST(PinnedValue, needs_every_term_to_say_the_same) {
  const auto expect = [](std::string_view want, std::initializer_list<std::string> all) {
    for (const std::string& terms : all) {
      const Affinity affinity(node_terms(terms));
      ASSERT_TRUE(affinity.read.good) << affinity.read.in.error().text();
      EXPECT_EQ(pinned_value(affinity.read.pod, "k"), want) << terms;
    }
  };
  const std::string a = term("k", "In", R"(["a"])"), b = term("k", "In", R"(["b"])"),
                    other = term("x", "In", R"(["a"])");
  expect(
      "a",
      {"[" + a + "]", "[" + a + "," + a + "]", "[{}," + a + "]",
       R"([{"matchExpressions":[{"values":["a"],"operator":"In","key":"k"}]}])",
       R"([{"matchFields":[{}],"matchExpressions":[{"key":"k","operator":"In","values":["a"]}]}])",
       R"([{"matchExpressions":[{"key":"x","operator":"Exists"},{"key":"k","operator":"In","values":["a"]}]}])"});
  expect("", {"[]", "null", "[{}]", "[" + a + "," + b + "]", "[" + a + "," + other + "]",
              "[" + other + "," + a + "]", R"([{"matchFields":[{}]},)" + a + "]"});
  for (const auto& [key, op, values] : {std::tuple{"k", "In", R"(["a","b"])"},
                                        {"k", "In", "[]"},
                                        {"k", "In", "null"},
                                        {"k", "In", R"([""])"},
                                        {"k", "NotIn", R"(["a"])"},
                                        {"k", "Exists", "[]"},
                                        {"k", "in", R"(["a"])"},
                                        {"kk", "In", R"(["a"])"}})
    expect("", {"[" + term(key, op, values) + "]"});
}

TEST(AffinityReading, mentions_of_a_key_prefix) {
  const Affinity affinity(node_terms("[" + term("a/b", "Exists", "[]") + "]"));
  EXPECT_TRUE(node_affinity_mentions(affinity.read.pod, "a/"));
  EXPECT_FALSE(node_affinity_mentions(affinity.read.pod, "b/"));
  // Preferred is no demand.
  const Affinity preferred(
      R"({"nodeAffinity":{"preferredDuringSchedulingIgnoredDuringExecution":[{"weight":1,"preference":)" +
      term("a/b", "Exists", "[]") + "}]}}");
  EXPECT_TRUE(preferred.read.good);
  EXPECT_FALSE(node_affinity_mentions(preferred.read.pod, "a/"));
}

// --- What is there and what is not ------------------------------------------------------

TEST(AffinityReading, null_is_absent_and_empty_is_present) {
  const auto present = [](const std::string& text) {
    const Affinity affinity(text);
    EXPECT_TRUE(affinity.read.good) << text << affinity.read.in.error().text();
    const Pod& pod = affinity.read.pod;
    std::string said;
    for (const Presence each :
         {pod.affinity, pod.node_affinity.present, pod.node_affinity.required,
          pod.node_affinity.terms, pod.pod_affinity.present, pod.pod_affinity.required.list,
          pod.pod_anti_affinity.present, pod.pod_anti_affinity.preferred.list})
      said += each == Presence::present ? '1' : '0';
    return said;
  };
  const std::string required = R"("requiredDuringSchedulingIgnoredDuringExecution":)";
  const std::string preferred = R"("preferredDuringSchedulingIgnoredDuringExecution":)";
  EXPECT_EQ(present("null"), "00000000");
  EXPECT_EQ(present("{}"), "10000000");
  EXPECT_EQ(present(R"({"nodeAffinity":null,"podAffinity":null,"podAntiAffinity":null})"),
            "10000000");
  EXPECT_EQ(present(R"({"nodeAffinity":{},"podAffinity":{},"podAntiAffinity":{}})"), "11001010");
  EXPECT_EQ(present(R"({"nodeAffinity":{)" + required + R"(null}})"), "11000000");
  EXPECT_EQ(present(R"({"nodeAffinity":{)" + required + R"({}}})"), "11100000");
  EXPECT_EQ(present(node_terms("null")), "11100000");
  EXPECT_EQ(present(node_terms("[]")), "11110000");
  EXPECT_EQ(present(R"({"podAffinity":{)" + required + R"([]}})"), "10001100");
  EXPECT_EQ(present(R"({"podAntiAffinity":{)" + preferred + R"([]}})"), "10000011");
}

TEST(AffinityReading, terms_keep_their_lists) {
  const std::string one =
      R"({"labelSelector":{"matchExpressions":[{"key":"k","operator":"Exists"}]},"topologyKey":"t"})";
  const Affinity affinity(
      R"({"podAntiAffinity":{"preferredDuringSchedulingIgnoredDuringExecution":[{"weight":7,"podAffinityTerm":)" +
      one + R"(}],"requiredDuringSchedulingIgnoredDuringExecution":[)" + one + "," + one + "]}}");
  const Pod& pod = affinity.read.pod;
  const auto size = [](const TermList& list) { return list.end - list.begin; };
  EXPECT_EQ(size(pod.pod_anti_affinity.required), 2u);
  EXPECT_EQ(size(pod.pod_anti_affinity.preferred), 1u);
  EXPECT_EQ(pod.pod_terms[pod.pod_anti_affinity.preferred.begin].weight, 7u);
  EXPECT_EQ(pod.pod_terms[pod.pod_anti_affinity.required.begin].weight, 0u);
  for (const PodTerm& each : pod.pod_terms) {
    EXPECT_EQ(each.topology_key, "t");
    EXPECT_EQ(each.end - each.begin, 1u);
  }
}

TEST(AffinityReading, every_namespace_is_the_empty_selector_alone) {
  const auto every = [](const std::string& selector) {
    const Affinity affinity(
        R"({"podAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[{"topologyKey":"t")" +
        selector + "}]}}");
    return affinity.read.pod.pod_terms.at(0).reach == TermReach::every_namespace;
  };
  EXPECT_TRUE(every(R"(,"namespaceSelector":{})"));
  EXPECT_FALSE(every(""));
  EXPECT_FALSE(every(R"(,"namespaceSelector":null)"));
  EXPECT_FALSE(every(R"(,"namespaceSelector":{"matchLabels":{}})"));
  EXPECT_TRUE(every(R"(,"namespaceSelector":{},"namespaces":["a"])"));
  EXPECT_TRUE(every(R"(,"namespaces":["a"],"namespaceSelector":{})"));
}

// What is required of another label excludes no value of this one.
TEST(NodeAffinity, excludes_a_value_by_its_own_key_alone) {
  const Selector label{"k", "v"};
  const auto excludes = [&](const std::string& terms) {
    const Affinity affinity(node_terms("[" + terms + "]"));
    EXPECT_TRUE(affinity.read.good);
    return node_affinity_excludes(affinity.read.pod, label);
  };
  EXPECT_TRUE(excludes(term("k", "In", R"(["x"])")));
  EXPECT_FALSE(excludes(term("k", "In", R"(["x","v"])")));
  EXPECT_FALSE(excludes(term("j", "In", R"(["x"])")));
  EXPECT_FALSE(excludes(term("kk", "In", R"(["x"])")));
  EXPECT_TRUE(excludes(term("k", "NotIn", R"(["v"])")));
  EXPECT_TRUE(excludes(term("k", "DoesNotExist", "[]")));
  EXPECT_FALSE(excludes(term("k", "Exists", "[]")));
  EXPECT_FALSE(excludes(term("k", "Gt", R"(["1"])")));
  EXPECT_FALSE(excludes(term("k", "NotIn", R"(["v"])") + "," + term("j", "NotIn", R"(["v"])")));
}

}  // namespace
}  // namespace tpuwh::webhook::read
