#include "tests/unit/kubectl/predict/expand/expanded.hpp"

#include <gtest/gtest.h>

#include <regex>

namespace tpuwh::server::expand {
namespace {

// tests/golden/expand compares whole Pods of such a Job with recorded ones (job-2x4).
constexpr const char* indexed_job = R"(
apiVersion: batch/v1
kind: Job
metadata: {name: train}
spec:
  completions: 2
  parallelism: 2
  completionMode: Indexed
  template:
    metadata: {labels: {app: x}, finalizers: [example.com/mine]}
    spec:
      subdomain: svc
      initContainers: [{name: first}]
      containers:
      - name: main
        env: [{name: JOB_COMPLETION_INDEX, value: mine}]
)";

TEST(AnIndexedJob, keeps_a_variable_of_the_user) {
  const Json pod = expand_yaml(indexed_job).pods.at(0);
  EXPECT_EQ(pod["spec"]["containers"][0]["env"].size(), 1u);
  EXPECT_EQ(pod["spec"]["initContainers"][0]["env"][0]["name"], "JOB_COMPLETION_INDEX");
}

TEST(AJob, keeps_finalizers_of_the_user) {
  EXPECT_EQ(expand_yaml(indexed_job).pods.at(0)["metadata"]["finalizers"].dump(),
            R"(["example.com/mine","batch.kubernetes.io/job-tracking"])");
}

TEST(AJob, that_is_not_indexed_has_no_index) {
  const Expansion got = expand_edited(indexed_job, {{"/spec/completionMode", nullptr}});
  EXPECT_EQ(names_of(got), (Texts{"train-", "train-"}));
  EXPECT_FALSE(got.pods.at(0)["spec"].contains("hostname"));
  EXPECT_FALSE(got.pods.at(0)["metadata"].contains("annotations"));
}

TEST(AJob, that_selects_by_hand_gets_no_labels_and_with_a_limit_for_each_index_counts_failures) {
  const Expansion got = expand_edited(
      indexed_job, {{"/spec/manualSelector", "true"}, {"/spec/backoffLimitPerIndex", "1"}});
  EXPECT_EQ(labels_of(got, "job-name"), (Texts{"-", "-"}));
  EXPECT_EQ(got.pods[0]["metadata"]["annotations"]["batch.kubernetes.io/job-index-failure-count"],
            "0");
}

TEST(ALongName, of_a_job_is_cut_before_the_index) {
  const std::string name(63, 'a');
  EXPECT_EQ(names_of(expand_edited(indexed_job, {{"/metadata/name", name.c_str()}})).at(1),
            std::string(55, 'a') + "-1-");
}

TEST(ACronJob, makes_one_job) {
  Json cron = Json::object({{"apiVersion", "batch/v1"}, {"kind", "CronJob"}});
  cron["metadata"]["name"] = "nightly";
  cron["spec"]["jobTemplate"]["spec"] = object_of(indexed_job)["spec"];
  const Expansion got = expansion_of(cron);
  ASSERT_EQ(got.pods.size(), 2u) << got.error;
  const std::string job = got.pods[0]["metadata"]["ownerReferences"][0]["name"];
  EXPECT_TRUE(std::regex_match(job, std::regex("nightly-[0-9]{8}"))) << job;
  EXPECT_EQ(got.pods[0]["metadata"]["generateName"], job + "-0-");
  EXPECT_EQ(pod_count(cron), 2u);
}

}  // namespace
}  // namespace tpuwh::server::expand
