#include "kubectl/predict/expand/plain.hpp"

#include "tests/unit/kubectl/predict/expand/expanded.hpp"
#include "webhook/workloads/table.hpp"

#include <gtest/gtest.h>

namespace tpuwh::server::expand {
namespace {

using webhook::workloads::PlainMaker;
using webhook::workloads::Written;

constexpr Written labels[] = {
    {"x.dev/name", "{name}"}, {"x.dev/part", "{part}"}, {"x.dev/index", "{index}"}};
constexpr PlainMaker of_spec{.count = "size", .service = "service", .labels = labels};
constexpr PlainMaker of_parts{
    .parts = "tasks", .pod_name = "{name}-{part}-{index}", .subdomain = "{name}", .labels = labels};

struct Made {
  std::vector<Json> pods;
  std::string error;
};

Made made(const char* yaml, const PlainMaker& maker) {
  Made out;
  const Json object = object_of(yaml);
  const Owner self = owner_of(object, "x.dev/v1", "Thing", {}).value();
  const auto done = expand_plain({object, self, object["spec"]}, maker, {}, [&](const Json& pod) {
    out.pods.push_back(pod);
    return true;
  });
  if (!done) out.error = done.error().text();
  return out;
}

TEST(APlainObject, makes_pods_that_differ_in_their_number) {
  constexpr auto yaml = R"(
metadata: {name: t}
spec: {size: 2, service: svc, template: {spec: {containers: [{name: c}]}}}
)";
  const Made got = made(yaml, of_spec);
  ASSERT_EQ(got.pods.size(), 2u) << got.error;
  EXPECT_EQ(count_plain(object_of(yaml), of_spec), 2u);
  const Json& last = got.pods.back();
  EXPECT_EQ(last["metadata"]["name"], "t-1");
  EXPECT_EQ(last["spec"]["hostname"], "t-1");
  EXPECT_EQ(last["spec"]["subdomain"], "svc");
  EXPECT_EQ(last["metadata"]["labels"]["x.dev/index"], "1");
  EXPECT_EQ(last["metadata"]["ownerReferences"][0]["kind"], "Thing");
  EXPECT_EQ(last["metadata"]["ownerReferences"][0]["apiVersion"], "x.dev/v1");
}

TEST(APlainObject, of_parts_numbers_the_pods_of_each) {
  constexpr auto yaml = R"(
metadata: {name: t}
spec:
  tasks:
  - {name: a, replicas: 2, template: {spec: {containers: [{name: c}]}}}
  - {name: b, template: {spec: {containers: [{name: c}]}}}
)";
  const Made got = made(yaml, of_parts);
  ASSERT_EQ(got.pods.size(), 3u) << got.error;
  EXPECT_EQ(count_plain(object_of(yaml), of_parts), 3u);
  EXPECT_EQ(got.pods[1]["metadata"]["name"], "t-a-1");
  EXPECT_EQ(got.pods[2]["metadata"]["name"], "t-b-0");
  EXPECT_EQ(got.pods[2]["metadata"]["labels"]["x.dev/part"], "b");
  EXPECT_EQ(got.pods[2]["spec"]["subdomain"], "t");
}

TEST(APlainObject, says_where_a_template_is_missing) {
  EXPECT_EQ(made("{metadata: {name: t}, spec: {tasks: [{name: a}]}}", of_parts).error,
            "spec.tasks[0].template: is missing");
  EXPECT_EQ(made("{metadata: {name: t}, spec: {size: -1}}", of_spec).pods.size(), 0u);
}

// Of those that say nothing of their Pods there are functions.
TEST(EveryObjectOfTheTable, is_expanded) {
  for (const auto& workload : webhook::workloads::workloads())
    for (const auto& object : workload.objects) {
      const Json written = {
          {"apiVersion", std::string(object.group) + '/' + std::string(object.versions.front())},
          {"kind", object.kind}};
      EXPECT_TRUE(makes_pods(written)) << object.kind;
    }
}

}  // namespace
}  // namespace tpuwh::server::expand
