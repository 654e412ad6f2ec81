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
             "parallelism is 2, but 4x4 with 4 chips per Pod has 4 hosts (16 / 4), which have to "
             "run at the same time",
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
             "4 on will be refused",
             false},
        Size{"single_host", {{"completions", 9}, {"parallelism", 2}}, "2x2", "", false}),
    case_name);

TEST(ValidateJob, says_what_a_pod_would_be_warned_of) {
  const json size{{"completions", 4}, {"parallelism", 4}};
  EXPECT_NE(validated(a_job(size, in_subdomain(a_template("4x4", 4))))
                .warning("set completionMode: Indexed"),
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
}

TEST(ValidateJob, of_a_queue_gets_its_nodes_from_kueue) {
  json job = a_job({{"completions", 4}, {"parallelism", 4}, {"completionMode", "Indexed"}},
                   in_subdomain(a_template("", 4)));
  EXPECT_NE(validated(job).warning("no single TPU topology"), "");
  job["metadata"]["labels"] = {{"kueue.x-k8s.io/queue-name", "q"}};
  EXPECT_TRUE(validated(job).silent());
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

}  // namespace
}  // namespace tpuwh::webhook::validate
