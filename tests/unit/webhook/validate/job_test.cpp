// Jobs and JobSets: completions and parallelism against the hosts of the topology.
#include "webhook/validate/job.hpp"

#include <gtest/gtest.h>

#include "tests/support/named_case.hpp"
#include "tests/support/validated.hpp"

namespace tpuwh::webhook::validate {
namespace {

using test::a_job;
using test::a_jobset;
using test::a_replicated_job;
using test::a_template;
using test::case_name;
using test::json;
using test::PrintTo;
using test::validated;

json in_subdomain(json pod_template) {
  pod_template["spec"]["subdomain"] = "svc";
  return pod_template;
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
  const auto answer = validated(a_jobset(
      std::vector<json>{a_replicated_job("slice", size.spec, a_template(size.topology, 4))}));
  EXPECT_EQ(answer.allowed, !size.refused) << answer.message;
  if (*size.found == '\0') {
    EXPECT_TRUE(answer.silent()) << answer.message << json(answer.warnings);
    return;
  }
  const std::string told = size.refused ? answer.message : answer.warning(size.found);
  EXPECT_NE(told.find("replicated job slice: " + std::string(size.found)), std::string::npos)
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
    EXPECT_NE(answer.warning(size.found), "") << json(answer.warnings);
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
  EXPECT_NE(validated(a_job(size, in_subdomain(a_template("4x4", 4))))
                .warning("a Job that is not Indexed makes identical Pods"),
            "");
  json indexed = size;
  indexed["completionMode"] = "Indexed";
  EXPECT_NE(validated(a_job(indexed, a_template("4x4", 4))).warning("no spec.subdomain"), "");
}

TEST(ValidateJob, several_slices_that_are_asked_for_count) {
  json pod_template = in_subdomain(a_template("4x4", 4));
  pod_template["metadata"]["annotations"] = {{"tpu-webhook.dev/slice-count", "2"}};
  json spec{{"completions", 8}, {"parallelism", 8}, {"completionMode", "Indexed"}};
  EXPECT_EQ(validated(a_job(spec, pod_template)).warning("completions"), "");
  spec["completions"] = 4;
  EXPECT_NE(validated(a_job(spec, pod_template)).warning("times 2 slices: 8"), "");
  pod_template["metadata"]["annotations"] = {{"tpu-webhook.dev/slice-count", "1"}};
  EXPECT_EQ(validated(a_job(spec, pod_template)).warning("completions"), "");
}

TEST(ValidateJob, of_more_slices_than_there_may_be_is_held_against_the_most) {
  json pod_template = a_template("4x4", 4);
  pod_template["metadata"]["annotations"]["tpu-webhook.dev/slice-count"] = "5000";
  const json spec{{"completions", 4}, {"parallelism", 4}, {"completionMode", "Indexed"}};
  const auto answer = validated(a_job(spec, in_subdomain(pod_template)));
  EXPECT_NE(answer.warning("times 2048 slices: 8192"), "")
      << answer.message << json(answer.warnings);
}

TEST(ValidateJob, of_a_queue_gets_its_nodes_from_kueue) {
  json job = a_job({{"completions", 4}, {"parallelism", 4}, {"completionMode", "Indexed"}},
                   in_subdomain(a_template("", 4)));
  EXPECT_NE(validated(job).warning("no single TPU topology"), "");
  job["metadata"]["labels"] = {{"kueue.x-k8s.io/queue-name", "q"}};
  EXPECT_TRUE(validated(job).silent());
}

TEST(ValidateJob, of_a_queue_is_told_what_no_queue_changes) {
  json pod_template = in_subdomain(a_template("4x4", 4));
  pod_template["spec"]["nodeSelector"]["cloud.google.com/gke-spot"] = "true";
  pod_template["spec"]["nodeSelector"]["cloud.google.com/gke-flex-start"] = "true";
  json job =
      a_job({{"completions", 4}, {"parallelism", 4}, {"completionMode", "Indexed"}}, pod_template);
  job["metadata"]["labels"] = {{"kueue.x-k8s.io/queue-name", "q"}};
  EXPECT_NE(validated(job).warning("no node is both"), "") << json(validated(job).warnings);
}

TEST(ValidateJob, is_not_checked_where_the_annotation_says_so) {
  const json size{{"completions", 4}, {"parallelism", 4}, {"completionMode", "Indexed"}};
  const auto job_of = [&](const char* topology) {
    json pod_template = in_subdomain(a_template(topology, 4));
    pod_template["metadata"]["annotations"] = {{"cloud.google.com/skip-tpu-webhook-check", "true"}};
    return a_job(size, pod_template);
  };
  EXPECT_TRUE(validated(job_of("")).silent()) << "the topology comes with the slice";
  const auto wrong = validated(job_of("3x3"));
  EXPECT_EQ(wrong.outcome, outcome::Outcome::unchanged) << wrong.message;
  EXPECT_NE(wrong.warning("skip-tpu-webhook-check is \"true\": topology 3x3 is 9 chips"), "");
}

TEST(ValidateJobSet, of_a_wrong_size_is_allowed_where_the_annotation_says_so) {
  json pod_template = a_template("4x4", 4);
  pod_template["metadata"]["annotations"] = {{"cloud.google.com/skip-tpu-webhook-check", "true"}};
  const auto answer = validated(a_jobset(std::vector<json>{
      a_replicated_job("a", {{"completions", 2}, {"parallelism", 2}}, pod_template)}));
  EXPECT_NE(answer.warning("skip-tpu-webhook-check"), "") << answer.message;
}

TEST(ValidateJobSet, tells_all_replicated_jobs) {
  const json size{{"completions", 2}, {"parallelism", 2}};
  const auto answer = validated(a_jobset(std::vector<json>{
      a_replicated_job("a", size, a_template("4x4", 4)),
      a_replicated_job("b", size, a_template("2x4", 4)),
      a_replicated_job("c", size, a_template("4x3", 8)),
      a_replicated_job("head", size, json{{"spec", {{"containers", json::array()}}}})}));
  EXPECT_TRUE(answer.message.starts_with(
      "slices of JobSet js could never start: (1) TPU-404: replicated job a: completions is 2"))
      << answer.message;
  EXPECT_NE(answer.message.find("(2) TPU-103: replicated job c: topology 4x3 is 12 chips"),
            std::string::npos)
      << answer.message;
}

// ---- what the API server refuses of the Jobs

json whole() {
  return {{"completions", 4}, {"parallelism", 4}};
}

json with_policy(json spec, const json& container = nullptr) {
  json rule{{"action", "FailJob"}, {"onExitCodes", {{"operator", "NotIn"}, {"values", {137}}}}};
  if (!container.is_null()) rule["onExitCodes"]["containerName"] = container;
  spec["podFailurePolicy"]["rules"] = std::vector<json>{rule};
  return spec;
}

json restarting(const json& policy) {
  json pod_template = in_subdomain(a_template("4x4", 4));
  if (!policy.is_null()) pod_template["spec"]["restartPolicy"] = policy;
  return pod_template;
}

struct Child {
  std::string_view name;
  json spec, pod_template;
  const char* found;  // "" where nothing is refused
};

class Children : public testing::TestWithParam<Child> {};

TEST_P(Children, of_a_job_set_are_refused) {
  const Child& child = GetParam();
  const auto answer = validated(
      a_jobset(std::vector<json>{a_replicated_job("slice", child.spec, child.pod_template)}));
  EXPECT_EQ(answer.allowed, *child.found == '\0') << answer.message;
  if (*child.found != '\0') {
    EXPECT_NE(answer.message.find("TPU-412: replicated job slice: " + std::string(child.found)),
              std::string::npos)
        << answer.message;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Validate, Children,
    testing::Values(
        Child{"no_policy", whole(), restarting(nullptr), ""},
        Child{"on_failure", whole(), restarting("OnFailure"), ""},
        Child{"always", whole(), restarting("Always"), "restartPolicy is Always"},
        Child{"failure_policy", with_policy(whole()), restarting("OnFailure"),
              "restartPolicy is OnFailure, and Pods of a Job with podFailurePolicy need Never"},
        Child{"failure_policy_and_none", with_policy(whole()), restarting(nullptr),
              "restartPolicy is missing, which means OnFailure"},
        Child{"failure_policy_right", with_policy(whole(), "c"), restarting("Never"), ""},
        Child{"failure_policy_of_another", with_policy(whole(), "trainer"), restarting("Never"),
              "podFailurePolicy names container trainer, which the template does not have"},
        Child{"parallelism_alone",
              {{"parallelism", 4}},
              restarting(nullptr),
              "parallelism is 4 and completions is missing"},
        Child{
            "selector",
            {{"completions", 4}, {"parallelism", 4}, {"selector", {{"matchLabels", {{"a", "b"}}}}}},
            restarting(nullptr),
            "selector does not match the labels"},
        Child{"selector_of_nothing",
              {{"completions", 4},
               {"parallelism", 4},
               {"selector", {{"matchLabels", nullptr}, {"matchExpressions", nullptr}}}},
              restarting(nullptr),
              ""},
        Child{"selector_of_a_key_alone",
              {{"completions", 4},
               {"parallelism", 4},
               {"selector",
                {{"matchExpressions", std::vector<json>{{{"key", "batch.kubernetes.io/job-name"},
                                                         {"values", nullptr},
                                                         {"operator", "Exists"}}}}}}},
              restarting(nullptr),
              ""},
        Child{"selector_empty",
              {{"completions", 4}, {"parallelism", 4}, {"selector", json::object()}},
              restarting(nullptr),
              ""},
        Child{"selector_of_its_name",
              {{"completions", 4},
               {"parallelism", 4},
               {"selector", {{"matchLabels", {{"job-name", "js-slice-0"}}}}}},
              restarting(nullptr),
              ""}),
    case_name);

// How a term of a selector stands to the labels of the Job's Pods: its name, and a uid that nobody
// knows yet.
struct Term {
  const char* name;
  json term;
  bool matches;
};

void PrintTo(const Term& each, std::ostream* out) {
  *out << each.name;
}

class SelectorTerms : public testing::TestWithParam<Term> {};

TEST_P(SelectorTerms, are_held_against_the_labels_of_its_pods) {
  const json spec = {{"completions", 4},
                     {"parallelism", 4},
                     {"selector", {{"matchExpressions", std::vector<json>{GetParam().term}}}}};
  const auto answer =
      validated(a_jobset(std::vector<json>{a_replicated_job("slice", spec, restarting(nullptr))}));
  EXPECT_EQ(answer.allowed, GetParam().matches) << answer.message;
}

json term(const char* key, const char* op, const std::vector<std::string>& values = {}) {
  json out = {{"operator", op}, {"key", key}};
  if (!values.empty()) out["values"] = values;
  return out;
}

INSTANTIATE_TEST_SUITE_P(
    Validate, SelectorTerms,
    testing::Values(Term{"its_name_exists", term("job-name", "Exists"), true},
                    Term{"no_name", term("job-name", "DoesNotExist"), false},
                    Term{"its_uid_exists", term("batch.kubernetes.io/controller-uid", "Exists"),
                         true},
                    Term{"no_uid", term("controller-uid", "DoesNotExist"), false},
                    Term{"another_exists", term("a", "Exists"), false},
                    Term{"no_other", term("a", "DoesNotExist"), true},
                    Term{"its_name", term("job-name", "In", {"x", "js-slice-0"}), true},
                    Term{"another_name", term("job-name", "In", {"x"}), false},
                    Term{"not_its_name", term("job-name", "NotIn", {"x", "js-slice-0"}), false},
                    Term{"not_another_name", term("job-name", "NotIn", {"x"}), true},
                    Term{"a_uid", term("controller-uid", "In", {"x"}), true},
                    Term{"not_a_uid", term("controller-uid", "NotIn", {"x"}), true}),
    case_name);

TEST(Children, an_exit_code_may_be_an_init_containers) {
  json pod_template = restarting("Never");
  pod_template["spec"]["initContainers"] = std::vector<json>{{{"name", "fetch"}}};
  EXPECT_TRUE(validated(a_jobset(std::vector<json>{a_replicated_job(
                            "slice", with_policy(whole(), "fetch"), pod_template)}))
                  .silent());
}

TEST(Children, an_exit_code_may_be_any_containers) {
  const std::string longest(63, 'l');
  json pod_template = restarting("Never");
  json& containers = pod_template["spec"]["containers"];
  for (const std::string& name : {std::string("b"), std::string("a"), longest})
    containers.push_back({{"name", name}});
  for (const std::string& name : {std::string("c"), std::string("b"), std::string("a"), longest})
    EXPECT_TRUE(validated(a_jobset(std::vector<json>{
                              a_replicated_job("slice", with_policy(whole(), name), pod_template)}))
                    .allowed)
        << name;
}

TEST(ValidateJobSet, a_coordinator_that_is_none) {
  json jobset =
      a_jobset(std::vector<json>{a_replicated_job("slice", whole(), restarting(nullptr))});
  const auto told = [&](const json& coordinator) {
    jobset["spec"]["coordinator"] = coordinator;
    const auto answer = validated(jobset);
    return answer.message + answer.warning("");
  };
  EXPECT_EQ(told({{"replicatedJob", "slice"}, {"jobIndex", 0}, {"podIndex", 3}}), "");
  EXPECT_NE(told({{"replicatedJob", "slice"}, {"podIndex", 4}})
                .find("spec.coordinator.podIndex is 4, and replicated job slice has 4"),
            std::string::npos);
  EXPECT_NE(told({{"replicatedJob", "slice"}, {"jobIndex", 1}})
                .find("spec.coordinator.jobIndex is 1, and replicated job slice has 1"),
            std::string::npos);
  EXPECT_NE(told({{"replicatedJob", "slices"}}).find("which does not exist"), std::string::npos);
}

TEST(Children, of_a_job_that_is_refused_itself) {
  json spec = whole();
  spec["completionMode"] = "Indexed";
  const json job = a_job(spec, restarting("Always"));
  EXPECT_NE(validated(job).message.find("TPU-412: restartPolicy is Always"), std::string::npos);
}

TEST(Children, names_of_a_job_set) {
  json jobset =
      a_jobset(std::vector<json>{a_replicated_job("slice", whole(), restarting(nullptr))});
  jobset["metadata"]["name"] = std::string(49, 'a');
  EXPECT_NE(validated(jobset).message.find("of a Pod has 65 characters"), std::string::npos)
      << validated(jobset).message;
  jobset["metadata"]["name"] = std::string(47, 'a');
  EXPECT_TRUE(validated(jobset).silent());
  jobset["spec"]["coordinator"] = {{"replicatedJob", "slice"}, {"jobIndex", 1}};
  const std::string refused = validated(jobset).message;
  EXPECT_NE(refused.find("spec.coordinator.jobIndex is 1"), std::string::npos) << refused;
  EXPECT_EQ(refused.find("replicated job slice: "), std::string::npos) << refused;
}

TEST(ValidateJob, that_kueue_may_start_with_fewer_pods) {
  json spec = whole();
  spec["completionMode"] = "Indexed";
  json job = a_job(spec, restarting("Never"));
  job["metadata"]["annotations"]["kueue.x-k8s.io/job-min-parallelism"] = "2";
  EXPECT_NE(validated(job).warning("lets Kueue start it with 2 Pods, but 4x4"), "");
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
  json job = a_job({{"completions", 8}, {"parallelism", 8}, {"completionMode", "Indexed"}},
                   in_subdomain(restarting("Never")));
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
  test::Change change;
  change.config.findings.set(Finding::completions_too_many, Level::deny);
  const auto answer = validated(queued(GetParam()), change);
  EXPECT_EQ(answer.allowed, GetParam().lowered) << answer.message;
  const std::string told = answer.message + answer.warning("TPU-406");
  EXPECT_NE(told.find("completions is 8, but 4x4"), std::string::npos) << told;
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
  EXPECT_NE(said("q", "4").find("TPU-412: annotation kueue.x-k8s.io/job-min-parallelism is 4, and "
                                "Kueue takes a number from 1 to parallelism - 1 (3)"),
            std::string::npos)
      << said("q", "4");
  EXPECT_NE(said("q", "0"), "");
  EXPECT_NE(said("q", "many"), "");
  EXPECT_EQ(said("q", "3"), "");
  EXPECT_EQ(said(nullptr, "4"), "");
}

// Fewer Pods than hosts are fewer in a queue as well.
TEST(ValidateJob, of_a_queue_is_refused_for_too_few_pods) {
  json job = queued({"", "q", "1", false, true});
  job["spec"]["completions"] = job["spec"]["parallelism"] = 2;
  test::Change change;
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
      std::vector<json>{{{"conditionType", "a"}}, {{"conditionType", "b"}}};
  json jobset = a_jobset(std::vector<json>{a_replicated_job("a", whole(), pod_template),
                                           a_replicated_job("b", whole(), pod_template)});
  jobset["spec"]["startupPolicy"]["startupPolicyOrder"] = "InOrder";
  EXPECT_NE(validated(jobset).warning("which is decided by its readinessGates"), "")
      << json(validated(jobset).warnings);
}

TEST(JobSetOrder, of_slices_that_are_ready_by_their_programs) {
  json jobset = a_jobset(std::vector<json>{a_replicated_job("a", whole(), ready_by_probe()),
                                           a_replicated_job("b", whole(), ready_by_probe())});
  EXPECT_TRUE(validated(jobset).silent());
  jobset["spec"]["startupPolicy"]["startupPolicyOrder"] = "InOrder";
  EXPECT_NE(
      validated(jobset).warning("TPU-413: replicated job b: startupPolicyOrder: InOrder: its "
                                "Jobs are created when all Pods of replicated job a are Ready, "
                                "which is decided by readinessProbe of container c"),
      "")
      << json(validated(jobset).warnings);
  const std::string fix = ": startupPolicyOrder: AnyOrder creates all at once";
  EXPECT_TRUE(validated(jobset).warning("TPU-413").ends_with("they never meet" + fix));
  jobset["spec"]["startupPolicy"]["startupPolicyOrder"] = "AnyOrder";
  jobset["spec"]["replicatedJobs"][1]["dependsOn"] =
      std::vector<json>{{{"name", "a"}, {"status", "Ready"}}};
  EXPECT_TRUE(validated(jobset)
                  .warning("TPU-413: replicated job b: dependsOn: ")
                  .ends_with("they never meet"));
  jobset["spec"]["replicatedJobs"][1]["dependsOn"][0]["status"] = "Complete";
  EXPECT_TRUE(validated(jobset).silent());
}

TEST(JobSetOrder, without_a_probe_nobody_waits) {
  json jobset = a_jobset(std::vector<json>{a_replicated_job("a", whole(), a_template("4x4", 4)),
                                           a_replicated_job("b", whole(), ready_by_probe())});
  jobset["spec"]["startupPolicy"]["startupPolicyOrder"] = "InOrder";
  EXPECT_TRUE(validated(jobset).silent()) << json(validated(jobset).warnings);
}

TEST(JobNames, of_a_subdomain_that_is_none) {
  json pod_template = a_template("4x4", 4);
  pod_template["spec"]["subdomain"] = "Not_A_Label";
  const json spec{{"completions", 4}, {"parallelism", 4}, {"completionMode", "Indexed"}};
  EXPECT_NE(validated(a_job(spec, pod_template))
                .message.find("subdomain Not_A_Label is not a DNS label, so no host of the slice "
                              "would resolve"),
            std::string::npos);
}

// Each member has a bit of its own: none is taken for a second one of another.
TEST(JobMembers, stand_beside_each_other) {
  const json spec{{"completions", 4},
                  {"parallelism", 4},
                  {"completionMode", "Indexed"},
                  {"activeDeadlineSeconds", 60},
                  {"backoffLimit", 1},
                  {"manualSelector", false},
                  {"podFailurePolicy", nullptr},
                  {"selector", nullptr}};
  const auto answer = validated(a_job(spec, in_subdomain(a_template("4x4", 4))));
  EXPECT_TRUE(answer.allowed) << answer.message;
}

// ---- one pool for several slices

TEST(JobSetPins, of_slices_that_run_together) {
  json pinned = a_template("4x4", 4);
  pinned["spec"]["nodeSelector"]["cloud.google.com/gke-nodepool"] = "p";
  json jobset = a_jobset(std::vector<json>{a_replicated_job("a", whole(), pinned),
                                           a_replicated_job("b", whole(), pinned)});
  EXPECT_NE(validated(jobset).warning("TPU-604: 2 slices select node pool p"), "");
  jobset["spec"]["replicatedJobs"][1]["dependsOn"] =
      std::vector<json>{{{"name", "a"}, {"status", "Complete"}}};
  EXPECT_TRUE(validated(jobset).silent()) << json(validated(jobset).warnings);
  jobset["spec"]["replicatedJobs"][1]["replicas"] = 2;
  EXPECT_NE(validated(jobset).warning("TPU-604: 2 slices select node pool p"), "");
}

TEST(JobPins, of_slices_of_one_job) {
  json pinned = in_subdomain(a_template("4x4", 4));
  pinned["spec"]["nodeSelector"]["cloud.google.com/gke-nodepool"] = "p";
  pinned["metadata"]["annotations"]["tpu-webhook.dev/slice-count"] = "2";
  const json spec{{"completions", 8}, {"parallelism", 8}, {"completionMode", "Indexed"}};
  EXPECT_NE(validated(a_job(spec, pinned)).warning("TPU-604: 2 slices select node pool p"), "");
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
  spec["containers"][0]["resources"] = {{"claims", std::vector<json>{{{"name", "tpus"}}}}};
  spec["resourceClaims"] =
      std::vector<json>{{{"name", "tpus"}, {"resourceClaimTemplateName", "four"}}};
  return pod_template;
}

TEST(JobsByClaim, are_of_the_size_that_their_chips_make) {
  const auto jobset = [](int completions) {
    return a_jobset(std::vector<json>{
        a_replicated_job("slice", {{"completions", completions}, {"parallelism", completions}},
                         by_claim(a_template("4x4", 4)))});
  };
  const FourByClaim known(true), unread(false);
  const auto refused = validated(jobset(2), {.cluster = &known});
  const auto by_limit = validated(a_jobset(std::vector<json>{
      a_replicated_job("slice", {{"completions", 2}, {"parallelism", 2}}, a_template("4x4", 4))}));
  EXPECT_FALSE(refused.allowed);
  EXPECT_EQ(refused.message, by_limit.message);
  EXPECT_TRUE(validated(jobset(4), {.cluster = &known}).silent());
  // An object is not waited for: its Pods are looked at.
  EXPECT_TRUE(validated(jobset(2), {.cluster = &unread}).silent());
}

}  // namespace
}  // namespace tpuwh::webhook::validate
