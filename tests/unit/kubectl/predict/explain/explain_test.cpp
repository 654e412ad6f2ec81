// Tests what the whole explanations in tests/golden/explain do not show.
#include "kubectl/predict/explain/explain.hpp"

#include "tests/unit/kubectl/predict/explain/written.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tpuwh::server::explain {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

TEST(Explain, decides_once_about_each_pod) {
  const Explanation of_many = explained(jobset(2100));  // more Pods than fixes are tried on
  EXPECT_EQ(of_many.pods, 4200u);
  EXPECT_EQ(of_many.decisions, 4200u);
  // Whom it leaves alone it is asked about once more.
  const Explanation opted_out = explained(
      Written{.template_metadata = "annotations: {tpu-webhook.dev/inject: \"false\"}"}.text());
  EXPECT_EQ(opted_out.pods, 2u);
  EXPECT_EQ(opted_out.decisions, 4u);
}

std::vector<std::string> names(const std::vector<Variable>& variables) {
  std::vector<std::string> out;
  for (const Variable& each : variables) out.push_back(each.name);
  return out;
}

std::vector<std::string> ids(const Workload& workload) {
  std::vector<std::string> out;
  for (const Finding& each : workload.findings) out.push_back(each.id);
  return out;
}

TEST(AnExplanation, names_the_part_of_an_object_that_a_group_is) {
  EXPECT_EQ(one(jobset(2)).groups.front().title, "replicated job slice");
}

TEST(AnExplanation, of_too_many_pods_names_their_number) {
  const Workload workload =
      one("{apiVersion: apps/v1, kind: Deployment, metadata: {name: a}, spec: {replicas: 2000000, "
          "selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, spec: "
          "{containers: [{name: a}]}}}}");
  EXPECT_EQ(workload.pods_left_out, 2'000'000u);
  EXPECT_EQ(workload.verdict, Verdict::doubtful);
}

TEST(AnExplanation, keeps_what_the_manifest_says_apart_from_what_is_injected) {
  const Workload workload =
      one_with_service({.env = "{name: TPU_WORKER_HOSTNAMES, value: \"a,b\"}, {name: TPU_NAME, "
                               "valueFrom: {fieldRef: {fieldPath: metadata.name}}}"});
  const auto& variables = workload.groups.front().variables;
  EXPECT_THAT(names(variables), ElementsAre("TPU_WORKER_HOSTNAMES", "TPU_NAME"));
  EXPECT_FALSE(variables[0].ours);
  EXPECT_TRUE(variables[1].from);
  EXPECT_EQ(variables[1].value, "metadata.name");
}

// ---- what stands beside

TEST(TheServiceOfASlice, is_looked_for) {
  const auto service = [](const char* metadata, const char* spec) {
    return fmt::format("---\n{{apiVersion: v1, kind: Service, metadata: {{{}}}, spec: {{{}}}}}\n",
                       metadata, spec);
  };
  const std::pair<std::string, const char*> cases[] = {
      {headless, ""},
      {"", "is not in the input"},
      {service("name: svc, namespace: ml", "clusterIP: None, selector: {job-name: train}"),
       "is not in the input"},
      {service("name: svc", "selector: {job-name: train}"), "is not headless"},
      {service("name: svc", "clusterIP: None, selector: {app: other}"),
       "does not select these Pods"},
  };
  for (const auto& [there, said] : cases) {
    SCOPED_TRACE(there);
    const Workload workload = one(Written().text() + there);
    if (*said == '\0') {
      EXPECT_THAT(workload.findings, IsEmpty());
      continue;
    }
    ASSERT_THAT(ids(workload), ElementsAre("no-service"));
    EXPECT_THAT(workload.findings.front().sentence, HasSubstr(said));
  }
}

TEST(AnExplanation, has_the_selectors_that_kueue_adds) {
  const Workload workload = one_with_service(
      {.metadata = ", labels: {kueue.x-k8s.io/queue-name: tpu}", .selector = ""},
      "---\n{apiVersion: kueue.x-k8s.io/v1beta2, kind: ResourceFlavor, metadata: {name: v6e}, "
      "spec: {nodeLabels: {cloud.google.com/gke-tpu-topology: 2x4}}}\n"
      "---\n{apiVersion: kueue.x-k8s.io/v1beta2, kind: ClusterQueue, metadata: {name: all}, spec: "
      "{namespaceSelector: {}, resourceGroups: [{coveredResources: [google.com/tpu], flavors: "
      "[{name: v6e, resources: [{name: google.com/tpu, nominalQuota: 8}]}]}]}}\n"
      "---\n{apiVersion: kueue.x-k8s.io/v1beta2, kind: LocalQueue, metadata: {name: tpu}, spec: "
      "{clusterQueue: all}}\n");
  EXPECT_EQ(workload.groups.front().topology, "2x4");
  EXPECT_EQ(workload.verdict, Verdict::fine) << workload.sentence;
  EXPECT_THAT(workload.notes, ElementsAre(HasSubstr("with flavor v6e")));
}

TEST(AnExplanation, tells_the_priorities_of_a_compute_class) {
  const Workload workload = one(
      Written{.spec = "completions: 1, parallelism: 1, completionMode: Indexed",
              .selector =
                  "cloud.google.com/gke-tpu-topology: 2x2, cloud.google.com/compute-class: cheap"}
          .text() +
      "---\napiVersion: cloud.google.com/v1\nkind: ComputeClass\nmetadata: {name: cheap}\n"
      "spec: {priorities: [{tpu: {type: tpu-v6e-slice, topology: 2x2}, spot: true}, {}]}\n");
  EXPECT_THAT(workload.notes,
              ElementsAre("ComputeClass cheap tries tpu-v6e-slice 2x2 Spot, then any node"));
}

// ---- node pools

TEST(AnExplanation, tells_that_a_compute_class_makes_no_pool) {
  const auto notes_with = [](const char* spec) {
    return one_with_service(
               {.selector =
                    "cloud.google.com/gke-tpu-topology: 2x4, cloud.google.com/compute-class: c"},
               fmt::format("---\n{{apiVersion: cloud.google.com/v1, kind: ComputeClass, metadata: "
                           "{{name: c}}, spec: {{{}}}}}\n",
                           spec))
        .notes;
  };
  const auto makes_none = testing::Contains(HasSubstr("ComputeClass c makes no node pool"));
  EXPECT_THAT(notes_with("nodePoolAutoCreation: {enabled: false}, priorities: [{spot: true}]"),
              makes_none);
  EXPECT_THAT(notes_with("nodePoolAutoCreation: {enabled: true}, priorities: [{spot: true}]"),
              Not(makes_none));
  EXPECT_THAT(notes_with("nodePoolAutoCreation: {enabled: false}, priorities: [{nodepools: [a]}]"),
              Not(makes_none));
}

TEST(TheNodePools, are_obtained_as_the_pods_select) {
  const Workload workload = one_with_service(
      {.selector = "cloud.google.com/gke-tpu-topology: 2x4, cloud.google.com/gke-spot: 'true'"});
  EXPECT_TRUE(workload.groups.front().pool_options.spot);
}

TEST(TheNodePools, of_a_part_of_a_slice_are_not_made_for_it) {
  const Workload workload = one_with_service(
      {.template_metadata = "annotations: {cloud.google.com/gke-tpu-slice-topology: 2x4}",
       .selector = "cloud.google.com/gke-tpu-topology: 4x4"});
  EXPECT_FALSE(workload.groups.front().pool);
}

}  // namespace
}  // namespace tpuwh::server::explain
