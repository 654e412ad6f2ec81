#include "kubectl/predict/explain/explain.hpp"

#include "tests/support/named_case.hpp"
#include "tests/unit/kubectl/predict/explain/written.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tpuwh::server::explain {
namespace {

using test::PrintTo;
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

TEST(AnExplanation, of_a_job_has_its_members_and_what_they_share) {
  const Workload job = one(Written().text() + headless);
  EXPECT_EQ(job.verdict, Verdict::fine);
  EXPECT_EQ(job.sentence, "1 slice of 2x4 on tpu-v6e-slice: 2 Pods, 8 chips");
  ASSERT_EQ(job.groups.size(), 1u);
  const Group& group = job.groups.front();
  EXPECT_THAT(names(group.variables), ElementsAre("TPU_WORKER_HOSTNAMES"));
  EXPECT_EQ(group.variables.front().value, "train-0.svc,train-1.svc");
  EXPECT_TRUE(group.variables.front().ours);
  ASSERT_EQ(group.slices.size(), 1u);
  const auto& members = group.slices.front().members;
  ASSERT_EQ(members.size(), 2u);
  EXPECT_EQ(members[1].pod, "train-1");
  EXPECT_THAT(members[1].worker_ids, ElementsAre(1));
  EXPECT_THAT(names(members[1].variables), ElementsAre("TPU_WORKER_ID"));
  ASSERT_TRUE(group.pool);
  EXPECT_EQ(group.pool->machine->name, "ct6e-standard-4t");
}

TEST(AnExplanation, of_a_jobset_says_what_each_slice_has_of_its_own) {
  const Workload set = one(jobset(2));
  ASSERT_EQ(set.groups.size(), 1u);
  const Group& group = set.groups.front();
  EXPECT_EQ(group.title, "replicated job slice");
  EXPECT_EQ(group.slices_of_job, 2u);
  EXPECT_THAT(
      names(group.variables),
      ElementsAre("MEGASCALE_NUM_SLICES", "MEGASCALE_COORDINATOR_ADDRESS", "MEGASCALE_PORT"));
  ASSERT_EQ(group.slices.size(), 2u);
  EXPECT_THAT(names(group.slices[1].variables),
              ElementsAre("MEGASCALE_SLICE_ID", "TPU_WORKER_HOSTNAMES"));
  EXPECT_EQ(group.slices[1].index, 1u);
  EXPECT_EQ(group.pool_options.slices, 2u);
}

TEST(AnExplanation, has_the_slices_of_a_leaderworkerset_in_one_group) {
  const std::string lws = fmt::format(
      "apiVersion: leaderworkerset.x-k8s.io/v1\nkind: LeaderWorkerSet\nmetadata: {{name: vllm}}\n"
      "spec: {{replicas: 3, leaderWorkerTemplate: {{size: 2, workerTemplate: {}}}}}\n",
      Written{.pod = "restartPolicy: Always"}.pod_template());
  const Workload workload = one(lws);
  ASSERT_EQ(workload.groups.size(), 1u);
  EXPECT_EQ(workload.groups.front().title, "");
  EXPECT_EQ(workload.groups.front().slices.size(), 3u);
  EXPECT_EQ(workload.groups.front().slices[2].name, "vllm-2");
}

TEST(AnExplanation, counts_each_pod_of_a_deployment_as_a_slice) {
  const Workload workload = one(Written{.kind = "Deployment",
                                        .spec = "replicas: 3, selector: {matchLabels: {a: b}}",
                                        .template_metadata = "labels: {a: b}",
                                        .pod = "restartPolicy: Always",
                                        .selector = "cloud.google.com/gke-tpu-topology: 2x2"}
                                    .text());
  EXPECT_EQ(workload.slices(), 3u);
  EXPECT_EQ(workload.groups.front().pool_options.slices, 3u);
}

TEST(AnExplanation, leaves_out_pods_that_would_be_refused) {
  const Workload workload = one(
      Written{.spec = "completions: 5, parallelism: 5, completionMode: Indexed"}.text() + headless);
  EXPECT_EQ(workload.verdict, Verdict::refused);
  EXPECT_EQ(workload.refused_pods, 3u);
  EXPECT_EQ(workload.pods(), 2u);
  EXPECT_THAT(workload.sentence, HasSubstr("3 of 5 Pods would be refused"));
}

TEST(AnExplanation, of_a_slice_without_all_hosts_is_doubtful) {
  const Workload workload = one(
      Written{.spec = "completions: 1, parallelism: 1, completionMode: Indexed"}.text() + headless);
  EXPECT_EQ(workload.verdict, Verdict::doubtful);
  EXPECT_THAT(workload.sentence, HasSubstr("the slice has Pods for 1 of 2 hosts"));
  EXPECT_EQ(workload.groups.front().slices.front().missing, 1u);
}

TEST(AnExplanation, of_what_asks_for_no_chips_says_so) {
  const Workload workload =
      one("apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {containers: [{name: a}]}\n");
  EXPECT_EQ(workload.verdict, Verdict::no_tpu);
  EXPECT_EQ(workload.other_pods, 1u);
}

TEST(AnExplanation, of_too_many_pods_names_their_number) {
  const Workload workload =
      one("apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a}\nspec: {replicas: 2000000, "
          "selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, spec: "
          "{containers: [{name: a}]}}}\n");
  EXPECT_EQ(workload.pods_left_out, 2'000'000u);
  EXPECT_EQ(workload.verdict, Verdict::doubtful);
}

TEST(AnExplanation, keeps_what_the_manifest_says_apart_from_what_is_injected) {
  const Workload workload =
      one(Written{.env = "{name: TPU_WORKER_HOSTNAMES, value: \"a,b\"}, {name: TPU_NAME, "
                         "valueFrom: {fieldRef: {fieldPath: metadata.name}}}"}
              .text() +
          headless);
  const auto& variables = workload.groups.front().variables;
  EXPECT_THAT(names(variables), ElementsAre("TPU_WORKER_HOSTNAMES", "TPU_NAME"));
  EXPECT_FALSE(variables[0].ours);
  EXPECT_TRUE(variables[1].from);
  EXPECT_EQ(variables[1].value, "metadata.name");
}

// ---- what stands beside

struct ServiceCase {
  const char* name;
  const char* service;
  const char* said;  // "" for nothing
};

class TheServiceOfASlice : public testing::TestWithParam<ServiceCase> {};

TEST_P(TheServiceOfASlice, is_looked_for) {
  const Workload workload = one(Written().text() + GetParam().service);
  if (*GetParam().said == '\0') {
    EXPECT_THAT(workload.findings, IsEmpty());
    return;
  }
  ASSERT_THAT(ids(workload), ElementsAre("no-service"));
  EXPECT_THAT(workload.findings.front().sentence, HasSubstr(GetParam().said));
}

INSTANTIATE_TEST_SUITE_P(
    Cases, TheServiceOfASlice,
    testing::Values(
        ServiceCase{"there", headless, ""}, ServiceCase{"missing", "", "is not in the input"},
        ServiceCase{"of_another_name",
                    "---\napiVersion: v1\nkind: Service\nmetadata: {name: other}\nspec: "
                    "{clusterIP: None, selector: {job-name: train}}\n",
                    "it has Service other"},
        ServiceCase{"of_another_namespace",
                    "---\napiVersion: v1\nkind: Service\nmetadata: {name: svc, namespace: ml}\n"
                    "spec: {clusterIP: None, selector: {job-name: train}}\n",
                    "is not in the input"},
        ServiceCase{"not_headless",
                    "---\napiVersion: v1\nkind: Service\nmetadata: {name: svc}\nspec: {selector: "
                    "{job-name: train}}\n",
                    "is not headless"},
        ServiceCase{"of_other_pods",
                    "---\napiVersion: v1\nkind: Service\nmetadata: {name: svc}\nspec: "
                    "{clusterIP: None, selector: {app: other}}\n",
                    "does not select these Pods"}),
    test::case_name);

TEST(AnExplanation, asks_for_no_service_that_a_controller_makes) {
  EXPECT_THAT(one(jobset(1)).findings, IsEmpty());
}

constexpr auto queues =
    "---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: ResourceFlavor\nmetadata: {name: v6e}\n"
    "spec: {nodeLabels: {cloud.google.com/gke-tpu-topology: 2x4}}\n"
    "---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: ClusterQueue\nmetadata: {name: all}\n"
    "spec: {namespaceSelector: {}, resourceGroups: [{coveredResources: [google.com/tpu], flavors: "
    "[{name: v6e, resources: [{name: google.com/tpu, nominalQuota: 8}]}]}]}\n"
    "---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: LocalQueue\nmetadata: {name: tpu}\n"
    "spec: {clusterQueue: all}\n";

TEST(AnExplanation, has_the_selectors_that_kueue_adds) {
  const Workload workload =
      one(Written{.metadata = ", labels: {kueue.x-k8s.io/queue-name: tpu}", .selector = ""}.text() +
          headless + queues);
  EXPECT_EQ(workload.groups.front().topology, "2x4");
  EXPECT_EQ(workload.verdict, Verdict::fine) << workload.sentence;
  EXPECT_THAT(workload.notes, ElementsAre(HasSubstr("with flavor v6e")));
}

TEST(AnExplanation, warns_of_quota_that_is_short) {
  const Workload workload =
      one(Written{.metadata = ", labels: {kueue.x-k8s.io/queue-name: tpu}",
                  .spec = "completions: 4, parallelism: 4, completionMode: Indexed",
                  .selector = "cloud.google.com/gke-tpu-topology: 4x4"}
              .text() +
          headless + queues);
  EXPECT_THAT(ids(workload), testing::Contains("quota"));
}

TEST(AnExplanation, tells_the_priorities_of_a_compute_class) {
  const Workload workload = one(
      Written{.spec = "completions: 1, parallelism: 1, completionMode: Indexed",
              .selector = "cloud.google.com/gke-tpu-topology: 2x2, cloud.google.com/compute-class: "
                          "cheap"}
          .text() +
      "---\napiVersion: cloud.google.com/v1\nkind: ComputeClass\nmetadata: {name: cheap}\n"
      "spec: {priorities: [{tpu: {type: tpu-v6e-slice, topology: 2x2}, spot: true}, {}]}\n");
  EXPECT_THAT(workload.notes,
              ElementsAre("ComputeClass cheap tries tpu-v6e-slice 2x2 Spot, then any node"));
}

// ---- node pools

TEST(AnExplanation, tells_that_a_compute_class_makes_no_pool) {
  const auto notes_with = [](const char* spec) {
    return one(Written{.selector = "cloud.google.com/gke-tpu-topology: 2x4, "
                                   "cloud.google.com/compute-class: c"}
                   .text() +
               headless +
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
  const Workload workload =
      one(Written{.selector = "cloud.google.com/gke-tpu-topology: 2x4, cloud.google.com/gke-spot: "
                              "\"true\""}
              .text() +
          headless);
  EXPECT_TRUE(workload.groups.front().pool_options.spot);
}

TEST(TheNodePools, of_a_slice_made_on_demand_are_blocks) {
  const Workload workload = one(
      Written{.spec = "completions: 32, parallelism: 32, completionMode: Indexed",
              .template_metadata = "annotations: {cloud.google.com/gke-tpu-slice-topology: 4x4x8}",
              .selector = "",
              .accelerator = "tpu7x"}
          .text() +
      headless);
  const Group& group = workload.groups.front();
  EXPECT_TRUE(group.pool_options.dynamic_slicing);
  ASSERT_TRUE(group.pool);
  EXPECT_EQ(catalog::pool_count(*group.pool, group.pool_options), 2u);
}

TEST(TheNodePools, of_a_part_of_a_slice_are_not_made_for_it) {
  const Workload workload = one(
      Written{.template_metadata = "annotations: {cloud.google.com/gke-tpu-slice-topology: 2x4}",
              .selector = "cloud.google.com/gke-tpu-topology: 4x4"}
          .text() +
      headless);
  EXPECT_FALSE(workload.groups.front().pool);
}

}  // namespace
}  // namespace tpuwh::server::explain
