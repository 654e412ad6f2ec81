#include "server/tools/predict/explain/explain.hpp"

#include "server/text/yaml.hpp"
#include "server/tools/predict/explain/text.hpp"
#include "tests/support/named_case.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace tpuwh::server::explain {
namespace {

using test::PrintTo;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

// Puts together manifests, of which each test says what it is about.
struct Written {
  std::string kind = "Job", name = "train";
  std::string metadata = {};  // more of it
  std::string spec = "completions: 2, parallelism: 2, completionMode: Indexed";
  std::string template_metadata = {};
  std::string pod = "subdomain: svc";
  std::string selector = "cloud.google.com/gke-tpu-topology: 2x4";
  std::string accelerator = "tpu-v6e-slice";
  std::string env = {};

  std::string pod_template() const {
    return fmt::format(
        "{{metadata: {{{}}}, spec: {{{}{}, nodeSelector: {{cloud.google.com/gke-tpu-accelerator: "
        "{}{}{}}}, containers: [{{name: jax, image: x, env: [{}], resources: {{limits: "
        "{{google.com/tpu: 4}}}}}}]}}}}",
        template_metadata, restart_policy(), pod, accelerator, selector.empty() ? "" : ", ",
        selector, env);
  }
  // Of a Job it is missed.
  std::string restart_policy() const {
    const bool said = pod.find("restartPolicy") != std::string::npos;
    return kind == "Job" && !said ? "restartPolicy: Never, " : "";
  }
  std::string text() const {
    const std::string version = kind == "Job" ? "batch/v1" : "apps/v1";
    return fmt::format(
        "apiVersion: {}\nkind: {}\nmetadata: {{name: {}{}}}\nspec: {{{}, template: {}}}\n", version,
        kind, name, metadata, spec, pod_template());
  }
};

constexpr auto headless =
    "---\napiVersion: v1\nkind: Service\nmetadata: {name: svc}\n"
    "spec: {clusterIP: None, selector: {job-name: train}}\n";

std::string jobset(int replicas) {
  return fmt::format(
      "apiVersion: jobset.x-k8s.io/v1alpha2\nkind: JobSet\nmetadata: {{name: train}}\n"
      "spec: {{replicatedJobs: [{{name: slice, replicas: {}, template: {{spec: {{completions: 2, "
      "parallelism: 2, template: {}}}}}}}]}}\n",
      replicas, Written{.pod = "restartPolicy: Never"}.pod_template());
}

std::vector<source::Manifest> manifests(const std::string& yaml) {
  std::vector<source::Manifest> out;
  for (auto& object : text::parse_yaml(yaml).value())
    out.push_back({"train.yaml", std::move(object)});
  return out;
}

Explanation explained(const std::string& yaml, source::ObjectSource* cluster = nullptr) {
  const webhook::config::Config config;
  const auto objects = manifests(yaml);
  return explain({.manifests = objects, .config = config, .cluster = cluster}).value();
}

TEST(Explain, decides_once_about_each_pod) {
  const Explanation of_many = explained(jobset(5000));
  EXPECT_EQ(of_many.pods, 10000u);
  EXPECT_EQ(of_many.decisions, 10000u);
  // Whom it leaves alone it is asked about once more.
  const Explanation opted_out = explained(
      Written{.template_metadata = "annotations: {tpu-webhook.dev/inject: \"false\"}"}.text());
  EXPECT_EQ(opted_out.pods, 2u);
  EXPECT_EQ(opted_out.decisions, 4u);
}

// Of the only object.
Workload one(const std::string& yaml) {
  auto explanation = explained(yaml);
  EXPECT_EQ(explanation.workloads.size(), 1u);
  return std::move(explanation.workloads.front());
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

// ---- how far the verdict goes

TEST(AVerdict, says_what_nobody_looked_at) {
  const auto explanation = explained(
      Written{.pod = "subdomain: svc, preemptionPolicy: Never, tomorrow: 1"}.text() + headless);
  const Workload& workload = explanation.workloads.front();
  EXPECT_EQ(workload.verdict, Verdict::fine);
  EXPECT_EQ(workload.unseen.size(), 2u);
  const std::string said = text(explanation, {}).text();
  EXPECT_THAT(said, HasSubstr("\n  nothing in what was read stops its slices\n"));
  EXPECT_THAT(said,
              HasSubstr("\n  not looked at: Pod: spec.preemptionPolicy, Pod: spec.tomorrow\n"));
}

TEST(AVerdict, lists_nothing_of_what_asks_for_no_chips) {
  const Workload workload =
      one("{apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {preemptionPolicy: Never, "
          "containers: [{name: a, image: b}]}}");
  EXPECT_EQ(workload.verdict, Verdict::no_tpu);
  EXPECT_THAT(workload.unseen, IsEmpty());
}

TEST(AVerdict, says_what_nobody_looked_at_beside_it) {
  const auto explanation = explained(
      "{apiVersion: kueue.x-k8s.io/v1beta2, kind: ClusterQueue, metadata: {name: q}, spec: "
      "{preemption: {withinClusterQueue: Never}}}");
  ASSERT_EQ(explanation.unseen.size(), 1u);
  EXPECT_THAT(text(explanation, {}).text(),
              HasSubstr("not looked at of these: ClusterQueue: spec.preemption\n"));
}

TEST(AVerdict, is_doubtful_where_a_field_keeps_the_pods_from_their_nodes) {
  const Workload workload = one(Written{.pod = "subdomain: svc, nodeName: a"}.text() + headless);
  EXPECT_EQ(workload.verdict, Verdict::doubtful);
  ASSERT_EQ(workload.findings.size(), 1u);
  EXPECT_THAT(workload.findings.front().sentence, HasSubstr("puts all 2 hosts"));
}

TEST(AVerdict, is_doubtful_where_the_machine_is_too_small) {
  const Workload workload =
      one(Written{.pod = "subdomain: svc, resources: {requests: {cpu: 200}}"}.text() + headless);
  ASSERT_EQ(workload.findings.size(), 1u);
  EXPECT_THAT(workload.findings.front().sentence, HasSubstr("a Pod requests 200 CPUs"));
}

TEST(AVerdict, is_fine_where_a_field_only_may_matter) {
  const auto priority = Written{.pod = "subdomain: svc, priorityClassName: high"}.text() + headless;
  const Workload workload = one(priority);
  EXPECT_EQ(workload.verdict, Verdict::fine);
  EXPECT_THAT(workload.notes, testing::Contains(HasSubstr("PriorityClass high has to be there")));
  EXPECT_THAT(
      one(priority + "---\n{kind: PriorityClass, metadata: {name: high}, value: 5}\n").notes,
      Not(testing::Contains(HasSubstr("PriorityClass"))));
}

// ---- as text

std::size_t lines(const std::string& text) {
  return static_cast<std::size_t>(std::ranges::count(text, '\n'));
}

TEST(TheText, of_two_hundred_slices_is_a_screen) {
  const auto explanation = explained(jobset(200));
  const std::string folded = text(explanation, {}).text();
  EXPECT_LE(lines(folded), 60u);
  EXPECT_THAT(folded, HasSubstr("195 more"));
  EXPECT_GT(lines(text(explanation, {.all = true}).text()), 1000u);
}

TEST(TheText, of_many_objects_begins_with_the_worst) {
  std::string yaml =
      Written{.name = "good"}.text() + "---\n" +
      Written{.name = "bad", .selector = "cloud.google.com/gke-tpu-topology: 3x3"}.text();
  for (int i = 0; i < 40; ++i) yaml += "---\n" + Written{.name = fmt::format("n{}", i)}.text();
  const std::string said = text(explained(yaml), {}).text();
  EXPECT_THAT(said, testing::StartsWith("✗ Job default/bad"));
  EXPECT_LE(lines(said), 60u);
  EXPECT_THAT(said, HasSubstr("42 objects: 1 refused"));
}

TEST(TheText, has_colours_only_where_they_are_wanted) {
  const auto explanation = explained(jobset(1));
  EXPECT_THAT(text(explanation, {}).text(), Not(HasSubstr("\033")));
  EXPECT_THAT(text(explanation, {.colour = true}).text(), HasSubstr("\033[32m✓"));
}

}  // namespace
}  // namespace tpuwh::server::explain
