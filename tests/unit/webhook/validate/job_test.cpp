// Jobs and JobSets: completions and parallelism against the hosts of the topology.
#include "webhook/validate/job.hpp"

#include <gtest/gtest.h>

#include "tests/support/named_case.hpp"
#include "tests/support/validated.hpp"

namespace tpuwh::webhook::validate {
namespace {

using namespace test;
using test::PrintTo;

json indexed(int pods) {
  return {{"completions", pods}, {"parallelism", pods}, {"completionMode", "Indexed"}};
}

json in_subdomain(json pod_template) {
  pod_template["spec"]["subdomain"] = "svc";
  return pod_template;
}

// Returns a JobSet whose only replicated job is "slice".
json one_job(const json& spec, const json& pod_template) {
  return a_jobset(list({a_replicated_job("slice", spec, pod_template)}));
}

struct Size {
  std::string_view name;
  json spec;  // completions and parallelism
  const char* topology;
  const char* found;  // "" where nothing is wrong
  bool refused;       // of a JobSet
};

class JobSizes : public testing::TestWithParam<Size> {};

TEST_P(JobSizes, of_a_job_set) {
  const Size& size = GetParam();
  const auto answer = validated(one_job(size.spec, a_template(size.topology, 4)));
  EXPECT_EQ(answer.allowed, !size.refused) << answer.message;
  if (*size.found == '\0') {
    EXPECT_TRUE(answer.silent()) << answer.message << json(answer.warnings);
    return;
  }
  const std::string told = size.refused ? answer.message : answer.warning(size.found);
  EXPECT_TRUE(has(told, "replicated job slice: " + std::string(size.found)))
      << told << json(answer.warnings);
}

// A Job of one Pod is how people look at one host of a slice: never refused by its size.
TEST_P(JobSizes, of_a_job) {
  const Size& size = GetParam();
  json spec = size.spec;
  spec["completionMode"] = "Indexed";
  const auto answer = validated(a_job(spec, in_subdomain(a_template(size.topology, 4))));
  EXPECT_TRUE(answer.allowed) << answer.message;
  if (*size.found == '\0') {
    EXPECT_TRUE(answer.silent()) << json(answer.warnings);
  } else {
    EXPECT_TRUE(has(answer.warnings, size.found));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Validate, JobSizes,
    testing::Values(
        Size{"whole", {{"completions", 4}, {"parallelism", 4}}, "4x4", "", false},
        Size{"wide", {{"completions", 4}, {"parallelism", 9}}, "4x4", "", false},
        Size{"held", {{"completions", 4}, {"parallelism", 0}}, "4x4", "", false},
        Size{"few",
             {{"completions", 2}, {"parallelism", 2}},
             "4x4",
             "completions is 2, but 4x4 with 4 chips per Pod has 4 hosts (16 / 4)",
             true},
        Size{"narrow",
             {{"completions", 4}, {"parallelism", 2}},
             "4x4",
             "parallelism is 2, but 4x4 with 4 chips per Pod has 4 hosts (16 / 4), which must run "
             "at the same time",
             true},
        Size{"no_parallelism",
             {{"completions", 4}},
             "4x4",
             "parallelism is missing, which means 1",
             true},
        Size{"many",
             {{"completions", 8}, {"parallelism", 8}},
             "4x4",
             "completions is 8, but 4x4 with 4 chips per Pod has 4 hosts (16 / 4); Pods from index "
             "4 on are refused",
             false},
        Size{"single_host", {{"completions", 9}, {"parallelism", 2}}, "2x2", "", false}),
    case_name);

TEST(ValidateJob, says_what_a_pod_would_be_warned_of) {
  const json size{{"completions", 4}, {"parallelism", 4}};
  EXPECT_TRUE(has(validated(a_job(size, in_subdomain(a_template("4x4", 4)))).warnings,
                  "a Job that is not Indexed makes identical Pods"));
  json indexed = size;
  indexed["completionMode"] = "Indexed";
  EXPECT_TRUE(has(validated(a_job(indexed, a_template("4x4", 4))).warnings, "no spec.subdomain"));
}

TEST(ValidateJob, several_slices_that_are_asked_for_count) {
  json pod_template = in_subdomain(a_template("4x4", 4));
  pod_template["metadata"]["annotations"] = {{"tpu-webhook.dev/slice-count", "2"}};
  json spec = indexed(8);
  EXPECT_FALSE(has(validated(a_job(spec, pod_template)).warnings, "completions"));
  spec["completions"] = 4;
  EXPECT_TRUE(has(validated(a_job(spec, pod_template)).warnings, "times 2 slices: 8"));
  pod_template["metadata"]["annotations"] = {{"tpu-webhook.dev/slice-count", "1"}};
  EXPECT_FALSE(has(validated(a_job(spec, pod_template)).warnings, "completions"));
}

TEST(ValidateJob, of_more_slices_than_there_may_be_is_held_against_the_most) {
  json pod_template = a_template("4x4", 4);
  pod_template["metadata"]["annotations"]["tpu-webhook.dev/slice-count"] = "5000";
  const json spec = indexed(4);
  const auto answer = validated(a_job(spec, in_subdomain(pod_template)));
  EXPECT_TRUE(has(answer.warnings, "times 2048 slices: 8192"));
}

TEST(ValidateJob, of_a_queue_gets_its_nodes_from_kueue) {
  json job = a_job(indexed(4), in_subdomain(a_template("", 4)));
  EXPECT_TRUE(has(validated(job).warnings, "no single TPU topology"));
  job["metadata"]["labels"] = {{"kueue.x-k8s.io/queue-name", "q"}};
  EXPECT_TRUE(validated(job).silent());
}

TEST(ValidateJob, of_a_queue_is_told_what_no_queue_changes) {
  json pod_template = in_subdomain(a_template("4x4", 4));
  pod_template["spec"]["nodeSelector"]["cloud.google.com/gke-spot"] = "true";
  pod_template["spec"]["nodeSelector"]["cloud.google.com/gke-flex-start"] = "true";
  json job = a_job(indexed(4), pod_template);
  job["metadata"]["labels"] = {{"kueue.x-k8s.io/queue-name", "q"}};
  EXPECT_TRUE(has(validated(job).warnings, "no node is both"));
}

TEST(ValidateJob, is_not_checked_where_the_annotation_says_so) {
  const json size = indexed(4);
  const auto job_of = [&](const char* topology) {
    json pod_template = in_subdomain(a_template(topology, 4));
    pod_template["metadata"]["annotations"] = {{"cloud.google.com/skip-tpu-webhook-check", "true"}};
    return a_job(size, pod_template);
  };
  EXPECT_TRUE(validated(job_of("")).silent()) << "the topology comes with the slice";
  const auto wrong = validated(job_of("3x3"));
  EXPECT_EQ(wrong.outcome, Outcome::unchanged) << wrong.message;
  EXPECT_TRUE(has(wrong.warnings, "skip-tpu-webhook-check is \"true\": topology 3x3 is 9 chips"));
}

TEST(ValidateJobSet, of_a_wrong_size_is_allowed_where_the_annotation_says_so) {
  json pod_template = a_template("4x4", 4);
  pod_template["metadata"]["annotations"] = {{"cloud.google.com/skip-tpu-webhook-check", "true"}};
  const auto answer = validated(a_jobset(
      list({a_replicated_job("a", {{"completions", 2}, {"parallelism", 2}}, pod_template)})));
  EXPECT_TRUE(has(answer.warnings, "skip-tpu-webhook-check")) << answer.message;
}

TEST(ValidateJobSet, tells_all_replicated_jobs) {
  const json size{{"completions", 2}, {"parallelism", 2}};
  const auto answer = validated(a_jobset(
      list({a_replicated_job("a", size, a_template("4x4", 4)),
            a_replicated_job("b", size, a_template("2x4", 4)),
            a_replicated_job("c", size, a_template("4x3", 8)),
            a_replicated_job("head", size, json{{"spec", {{"containers", json::array()}}}})})));
  EXPECT_TRUE(answer.message.starts_with(
      "slices of JobSet js could never start: (1) TPU-404: replicated job a: completions is 2"))
      << answer.message;
  EXPECT_TRUE(has(answer.message, "(2) TPU-103: replicated job c: topology 4x3 is 12 chips"));
}

// ---- what the API server refuses of the Jobs

json whole() {
  return {{"completions", 4}, {"parallelism", 4}};
}

json with_policy(json spec, const json& container = nullptr) {
  json rule{{"action", "FailJob"}, {"onExitCodes", {{"operator", "NotIn"}, {"values", {137}}}}};
  if (!container.is_null()) rule["onExitCodes"]["containerName"] = container;
  spec["podFailurePolicy"]["rules"] = list({rule});
  return spec;
}

json restarting(const json& policy) {
  json pod_template = in_subdomain(a_template("4x4", 4));
  if (!policy.is_null()) pod_template["spec"]["restartPolicy"] = policy;
  return pod_template;
}

void expect_children(const json& spec, const json& pod_template, const char* found) {
  SCOPED_TRACE(spec.dump());
  const auto answer = validated(one_job(spec, pod_template));
  EXPECT_EQ(answer.allowed, *found == '\0') << answer.message;
  if (*found != '\0') {
    EXPECT_TRUE(has(answer.message, "TPU-412: replicated job slice: " + std::string(found)));
  }
}

TEST(Children, of_a_job_set_are_refused) {
  expect_children(whole(), restarting(nullptr), "");
  expect_children(whole(), restarting("OnFailure"), "");
  expect_children(whole(), restarting("Always"), "restartPolicy is Always");
  expect_children(with_policy(whole()), restarting("OnFailure"),
                  "restartPolicy is OnFailure, and Pods of a Job with podFailurePolicy need Never");
  expect_children(with_policy(whole()), restarting(nullptr),
                  "restartPolicy is missing, which means OnFailure");
  expect_children(with_policy(whole(), "c"), restarting("Never"), "");
  expect_children(with_policy(whole(), "trainer"), restarting("Never"),
                  "podFailurePolicy names container trainer, which the template does not have");
  expect_children({{"parallelism", 4}}, restarting(nullptr),
                  "parallelism is 4 and completions is missing");
  expect_children(
      {{"completions", 4}, {"parallelism", 4}, {"selector", {{"matchLabels", {{"a", "b"}}}}}},
      restarting(nullptr), "selector does not match the labels");
  expect_children({{"completions", 4},
                   {"parallelism", 4},
                   {"selector", {{"matchLabels", nullptr}, {"matchExpressions", nullptr}}}},
                  restarting(nullptr), "");
  expect_children({{"completions", 4},
                   {"parallelism", 4},
                   {"selector",
                    {{"matchExpressions", list({{{"key", "batch.kubernetes.io/job-name"},
                                                 {"values", nullptr},
                                                 {"operator", "Exists"}}})}}}},
                  restarting(nullptr), "");
  expect_children({{"completions", 4}, {"parallelism", 4}, {"selector", json::object()}},
                  restarting(nullptr), "");
  expect_children({{"completions", 4},
                   {"parallelism", 4},
                   {"selector", {{"matchLabels", {{"job-name", "js-slice-0"}}}}}},
                  restarting(nullptr), "");
}

// How a term of a selector stands to the labels of the Job's Pods: its name, and a uid that nobody
// knows yet.
TEST(SelectorTerms, are_held_against_the_labels_of_its_pods) {
  const auto matches = [](const char* key, const char* op,
                          const std::vector<std::string>& values = {}) {
    json term = {{"operator", op}, {"key", key}};
    if (!values.empty()) term["values"] = values;
    json spec = whole();
    spec["selector"]["matchExpressions"] = list({term});
    return validated(one_job(spec, restarting(nullptr))).allowed;
  };
  EXPECT_TRUE(matches("job-name", "Exists"));
  EXPECT_FALSE(matches("job-name", "DoesNotExist"));
  EXPECT_TRUE(matches("batch.kubernetes.io/controller-uid", "Exists"));
  EXPECT_FALSE(matches("controller-uid", "DoesNotExist"));
  EXPECT_FALSE(matches("a", "Exists"));
  EXPECT_TRUE(matches("a", "DoesNotExist"));
  EXPECT_TRUE(matches("job-name", "In", {"x", "js-slice-0"}));
  EXPECT_FALSE(matches("job-name", "In", {"x"}));
  EXPECT_FALSE(matches("job-name", "NotIn", {"x", "js-slice-0"}));
  EXPECT_TRUE(matches("job-name", "NotIn", {"x"}));
  EXPECT_TRUE(matches("controller-uid", "In", {"x"}));
  EXPECT_TRUE(matches("controller-uid", "NotIn", {"x"}));
}

TEST(Children, an_exit_code_may_be_an_init_containers) {
  json pod_template = restarting("Never");
  pod_template["spec"]["initContainers"] = list({{{"name", "fetch"}}});
  EXPECT_TRUE(validated(a_jobset(list({a_replicated_job("slice", with_policy(whole(), "fetch"),
                                                        pod_template)})))
                  .silent());
}

TEST(Children, an_exit_code_may_be_any_containers) {
  const std::string longest(63, 'l');
  json pod_template = restarting("Never");
  json& containers = pod_template["spec"]["containers"];
  for (const std::string& name : {std::string("b"), std::string("a"), longest})
    containers.push_back({{"name", name}});
  for (const std::string& name : {std::string("c"), std::string("b"), std::string("a"), longest})
    EXPECT_TRUE(validated(one_job(with_policy(whole(), name), pod_template)).allowed) << name;
}

TEST(ValidateJobSet, a_coordinator_that_is_none) {
  json jobset = one_job(whole(), restarting(nullptr));
  const auto told = [&](const json& coordinator) {
    jobset["spec"]["coordinator"] = coordinator;
    const auto answer = validated(jobset);
    return answer.message + answer.warning("");
  };
  EXPECT_EQ(told({{"replicatedJob", "slice"}, {"jobIndex", 0}, {"podIndex", 3}}), "");
  EXPECT_TRUE(has(told({{"replicatedJob", "slice"}, {"podIndex", 4}}),
                  "spec.coordinator.podIndex is 4, and replicated job slice has 4"));
  EXPECT_TRUE(has(told({{"replicatedJob", "slice"}, {"jobIndex", 1}}),
                  "spec.coordinator.jobIndex is 1, and replicated job slice has 1"));
  EXPECT_TRUE(has(told({{"replicatedJob", "slices"}}), "which does not exist"));
}

TEST(Children, of_a_job_that_is_refused_itself) {
  json spec = whole();
  spec["completionMode"] = "Indexed";
  const json job = a_job(spec, restarting("Always"));
  EXPECT_TRUE(has(validated(job).message, "TPU-412: restartPolicy is Always"));
}

TEST(Children, names_of_a_job_set) {
  json jobset = one_job(whole(), restarting(nullptr));
  jobset["metadata"]["name"] = std::string(49, 'a');
  EXPECT_TRUE(has(validated(jobset).message, "of a Pod has 65 characters"));
  jobset["metadata"]["name"] = std::string(47, 'a');
  EXPECT_TRUE(validated(jobset).silent());
  jobset["spec"]["coordinator"] = {{"replicatedJob", "slice"}, {"jobIndex", 1}};
  const std::string refused = validated(jobset).message;
  EXPECT_TRUE(has(refused, "spec.coordinator.jobIndex is 1"));
  EXPECT_FALSE(has(refused, "replicated job slice: "));
}

TEST(ValidateJob, that_kueue_may_start_with_fewer_pods) {
  json spec = whole();
  spec["completionMode"] = "Indexed";
  json job = a_job(spec, restarting("Never"));
  job["metadata"]["annotations"]["kueue.x-k8s.io/job-min-parallelism"] = "2";
  EXPECT_TRUE(has(validated(job).warnings, "lets Kueue start it with 2 Pods, but 4x4"));
  job["metadata"]["annotations"]["kueue.x-k8s.io/job-min-parallelism"] = "4";
  EXPECT_TRUE(validated(job).silent());
}

struct Queued {
  std::string_view name;
  const char *queue, *least;  // null: absent
  bool cron;                  // of the Jobs of a CronJob, and what its own metadata says is no word
  bool lowered;
};
void PrintTo(const Queued& c, std::ostream* out) {
  *out << c.name;
}

// docs/governance.md#exemptions: Kueue starts a Job of 8 Pods with fewer, and no other.
class QueuedJob : public testing::TestWithParam<Queued> {};

json queued(const Queued& c) {
  json metadata = {{"name", "train"}};
  if (c.queue != nullptr) metadata["labels"] = {{"kueue.x-k8s.io/queue-name", c.queue}};
  if (c.least != nullptr)
    metadata["annotations"] = {{"kueue.x-k8s.io/job-min-parallelism", c.least}};
  json job = a_job(indexed(8), in_subdomain(restarting("Never")));
  job["metadata"] = metadata;
  if (!c.cron) return job;
  return {{"apiVersion", "batch/v1"},
          {"kind", "CronJob"},
          {"metadata",
           {{"name", "train"},
            {"labels", {{"kueue.x-k8s.io/queue-name", "q"}}},
            {"annotations", {{"kueue.x-k8s.io/job-min-parallelism", "4"}}}}},
          {"spec", {{"jobTemplate", {{"metadata", metadata}, {"spec", job["spec"]}}}}}};
}

TEST_P(QueuedJob, is_refused_for_more_pods_than_hosts_unless_kueue_lowers_them) {
  Change change;
  change.config.findings.set(Finding::completions_too_many, Level::deny);
  const auto answer = validated(queued(GetParam()), change);
  EXPECT_EQ(answer.allowed, GetParam().lowered) << answer.message;
  const std::string told = answer.message + answer.warning("TPU-406");
  EXPECT_TRUE(has(told, "completions is 8, but 4x4"));
}

INSTANTIATE_TEST_SUITE_P(Validate, QueuedJob,
                         testing::Values(Queued{"no_queue", nullptr, "4", false, false},
                                         Queued{"an_empty_queue", "", "4", false, false},
                                         Queued{"a_queue_alone", "q", nullptr, false, false},
                                         Queued{"none_at_least", "q", "0", false, false},
                                         Queued{"one_at_least", "q", "1", false, true},
                                         Queued{"four_at_least", "q", "4", false, true},
                                         Queued{"one_less", "q", "7", false, true},
                                         Queued{"all_at_least", "q", "8", false, false},
                                         Queued{"no_number", "q", "four", false, false},
                                         Queued{"a_sign", "q", "-1", false, false},
                                         Queued{"a_cron_job_itself", nullptr, nullptr, true, false},
                                         Queued{"jobs_of_a_cron_job", "q", "4", true, true}),
                         [](const auto& each) { return std::string(each.param.name); });

// kueue pkg/controller/jobs/job/job_webhook.go, validatePartialAdmissionCreate
TEST(ValidateJob, of_a_queue_takes_fewer_pods_than_it_has_at_least) {
  const auto said = [](const char* queue, const char* least) {
    json job = queued({"", queue, least, false, false});
    job["spec"]["completions"] = job["spec"]["parallelism"] = 4;
    return validated(job).message;
  };
  EXPECT_TRUE(has(said("q", "4"),
                  "TPU-412: annotation kueue.x-k8s.io/job-min-parallelism is 4, and "
                  "Kueue takes a number from 1 to parallelism - 1 (3)"));
  EXPECT_NE(said("q", "0"), "");
  EXPECT_NE(said("q", "many"), "");
  EXPECT_EQ(said("q", "3"), "");
  EXPECT_EQ(said(nullptr, "4"), "");
}

// Fewer Pods than hosts are fewer in a queue as well.
TEST(ValidateJob, of_a_queue_is_refused_for_too_few_pods) {
  json job = queued({"", "q", "1", false, true});
  job["spec"]["completions"] = job["spec"]["parallelism"] = 2;
  Change change;
  change.config.findings.set(Finding::job_too_few, Level::deny);
  EXPECT_FALSE(validated(job, change).allowed);
}

// ---- one after the other

json ready_by_probe() {
  json pod_template = a_template("4x4", 4);
  pod_template["spec"]["containers"][0]["readinessProbe"]["tcpSocket"]["port"] = 80;
  return pod_template;
}

TEST(JobSetOrder, of_slices_that_are_ready_when_somebody_says_so) {
  json pod_template = a_template("4x4", 4);
  pod_template["spec"]["readinessGates"] =
      list({{{"conditionType", "a"}}, {{"conditionType", "b"}}});
  json jobset = a_jobset(list({a_replicated_job("a", whole(), pod_template),
                               a_replicated_job("b", whole(), pod_template)}));
  jobset["spec"]["startupPolicy"]["startupPolicyOrder"] = "InOrder";
  EXPECT_TRUE(has(validated(jobset).warnings, "which is decided by its readinessGates"));
}

TEST(JobSetOrder, of_slices_that_are_ready_by_their_programs) {
  json jobset = a_jobset(list({a_replicated_job("a", whole(), ready_by_probe()),
                               a_replicated_job("b", whole(), ready_by_probe())}));
  EXPECT_TRUE(validated(jobset).silent());
  jobset["spec"]["startupPolicy"]["startupPolicyOrder"] = "InOrder";
  EXPECT_TRUE(has(validated(jobset).warnings,
                  "TPU-413: replicated job b: startupPolicyOrder: InOrder: its "
                  "Jobs are created when all Pods of replicated job a are Ready, "
                  "which is decided by readinessProbe of container c"));
  const std::string fix = ": startupPolicyOrder: AnyOrder creates all at once";
  EXPECT_TRUE(validated(jobset).warning("TPU-413").ends_with("they never meet" + fix));
  jobset["spec"]["startupPolicy"]["startupPolicyOrder"] = "AnyOrder";
  jobset["spec"]["replicatedJobs"][1]["dependsOn"] = list({{{"name", "a"}, {"status", "Ready"}}});
  EXPECT_TRUE(validated(jobset)
                  .warning("TPU-413: replicated job b: dependsOn: ")
                  .ends_with("they never meet"));
  jobset["spec"]["replicatedJobs"][1]["dependsOn"][0]["status"] = "Complete";
  EXPECT_TRUE(validated(jobset).silent());
}

TEST(JobSetOrder, without_a_probe_nobody_waits) {
  json jobset = a_jobset(list({a_replicated_job("a", whole(), a_template("4x4", 4)),
                               a_replicated_job("b", whole(), ready_by_probe())}));
  jobset["spec"]["startupPolicy"]["startupPolicyOrder"] = "InOrder";
  EXPECT_TRUE(validated(jobset).silent()) << json(validated(jobset).warnings);
}

TEST(JobNames, of_a_subdomain_that_is_none) {
  json pod_template = a_template("4x4", 4);
  pod_template["spec"]["subdomain"] = "Not_A_Label";
  const json spec = indexed(4);
  EXPECT_TRUE(has(validated(a_job(spec, pod_template)).message,
                  "subdomain Not_A_Label is not a DNS label, so no host of the slice "
                  "would resolve"));
}

// ---- one pool for several slices

TEST(JobSetPins, of_slices_that_run_together) {
  json pinned = a_template("4x4", 4);
  pinned["spec"]["nodeSelector"]["cloud.google.com/gke-nodepool"] = "p";
  json jobset = a_jobset(
      list({a_replicated_job("a", whole(), pinned), a_replicated_job("b", whole(), pinned)}));
  EXPECT_TRUE(has(validated(jobset).warnings, "TPU-604: 2 slices select node pool p"));
  jobset["spec"]["replicatedJobs"][1]["dependsOn"] =
      list({{{"name", "a"}, {"status", "Complete"}}});
  EXPECT_TRUE(validated(jobset).silent()) << json(validated(jobset).warnings);
  jobset["spec"]["replicatedJobs"][1]["replicas"] = 2;
  EXPECT_TRUE(has(validated(jobset).warnings, "TPU-604: 2 slices select node pool p"));
}

TEST(JobPins, of_slices_of_one_job) {
  json pinned = in_subdomain(a_template("4x4", 4));
  pinned["spec"]["nodeSelector"]["cloud.google.com/gke-nodepool"] = "p";
  pinned["metadata"]["annotations"]["tpu-webhook.dev/slice-count"] = "2";
  const json spec = indexed(8);
  EXPECT_TRUE(has(validated(a_job(spec, pinned)).warnings, "TPU-604: 2 slices select node pool p"));
}

// ---- by resource claim in place of google.com/tpu

struct FourByClaim final : read::ClusterView {
  explicit FourByClaim(bool known) : known_(known) {}
  read::Claimed claimed(const read::ClaimSource&) const override {
    using Known = read::Claimed::Known;
    return known_ ? read::Claimed{.known = Known::chips, .chips = 4}
                  : read::Claimed{.known = Known::unread};
  }

 private:
  bool known_;
};

json by_claim(json pod_template) {
  json& spec = pod_template["spec"];
  spec["containers"][0]["resources"] = {{"claims", list({{{"name", "tpus"}}})}};
  spec["resourceClaims"] = list({{{"name", "tpus"}, {"resourceClaimTemplateName", "four"}}});
  return pod_template;
}

TEST(JobsByClaim, are_of_the_size_that_their_chips_make) {
  const auto jobset = [](int completions) {
    return one_job({{"completions", completions}, {"parallelism", completions}},
                   by_claim(a_template("4x4", 4)));
  };
  const FourByClaim known(true), unread(false);
  const auto refused = validated(jobset(2), {.cluster = &known});
  const auto by_limit =
      validated(one_job({{"completions", 2}, {"parallelism", 2}}, a_template("4x4", 4)));
  EXPECT_FALSE(refused.allowed);
  EXPECT_EQ(refused.message, by_limit.message);
  EXPECT_TRUE(validated(jobset(4), {.cluster = &known}).silent());
  // An object is not waited for: its Pods are looked at.
  EXPECT_TRUE(validated(jobset(2), {.cluster = &unread}).silent());
}

}  // namespace
}  // namespace tpuwh::webhook::validate
