// Each rule, from both of its sides: refused, and just not.
#include "webhook/controllers/refusals.hpp"

#include <gtest/gtest.h>

#include <string>

#include "tests/support/has.hpp"

namespace tpuwh::webhook::controllers {
namespace {

using namespace test;

std::string all(const Refusals& refusals) {
  std::string out;
  for (const std::string& each : refusals) out += (out.empty() ? "" : "; ") + each;
  return out;
}

JobWords a_job(std::string_view policy) {
  return {.numbers = {4, 4, true},
          .pod = {.restart_policy = policy},
          .has_failure_policy = false,
          .policy_container = {},
          .selects_others = false,
          .selects = false};
}

TEST(Refusals, restart_policy_of_a_job) {
  using enum JobMaker;
  EXPECT_EQ(all(refusals_of_job(a_job("Never"), person)), "");
  EXPECT_EQ(all(refusals_of_job(a_job("OnFailure"), person)), "");
  EXPECT_EQ(all(refusals_of_job(a_job("Always"), jobset)),
            "restartPolicy is Always, and Pods of a Job need OnFailure or Never");
  EXPECT_EQ(all(refusals_of_job(a_job(""), person)),
            "restartPolicy is missing, which means Always, and Pods of a Job need OnFailure or "
            "Never");
  EXPECT_EQ(all(refusals_of_job(a_job(""), jobset)), "");
}

TEST(Refusals, restart_policy_beside_a_failure_policy) {
  JobWords job = a_job("");
  job.has_failure_policy = true;
  EXPECT_EQ(all(refusals_of_job(job, JobMaker::jobset)),
            "restartPolicy is missing, which means OnFailure, and Pods of a Job with "
            "podFailurePolicy need Never");
  job.pod.restart_policy = "Never";
  EXPECT_EQ(all(refusals_of_job(job, JobMaker::jobset)), "");
}

TEST(Refusals, completions_of_an_indexed_job) {
  JobWords job = a_job("Never");
  job.numbers = {{}, 4, true};
  EXPECT_EQ(all(refusals_of_job(job, JobMaker::jobset)),
            "parallelism is 4 and completions is missing, which an Indexed Job needs");
  job.numbers = {{}, {}, true};  // one of each
  EXPECT_EQ(all(refusals_of_job(job, JobMaker::jobset)), "");
  job.numbers = {{}, 4, false};
  EXPECT_EQ(all(refusals_of_job(job, JobMaker::person)), "");
}

TEST(Refusals, selectors_of_a_cron_job) {
  JobWords job = a_job("Never");
  job.selects = true;
  EXPECT_EQ(all(refusals_of_job(job, JobMaker::person)), "");
  EXPECT_EQ(all(refusals_of_job(job, JobMaker::cron_job)),
            "the Jobs of a CronJob have neither a selector nor manualSelector; remove them");
}

TEST(Refusals, of_replicas) {
  EXPECT_EQ(all(refusals_of_replicas({}, "StatefulSet")), "");
  EXPECT_EQ(all(refusals_of_replicas({.restart_policy = "Always"}, "StatefulSet")), "");
  EXPECT_EQ(
      all(refusals_of_replicas({.restart_policy = "Never", .has_deadline = true}, "StatefulSet")),
      "restartPolicy is Never, and Pods of a StatefulSet need Always; activeDeadlineSeconds "
      "is set, which Pods of a StatefulSet cannot have");
}

TEST(Refusals, names_of_a_jobset) {
  const std::string longest(63 - std::string("-slice-1-3-abcde").size(), 'a');
  EXPECT_EQ(all(refusals_of_jobset({longest, "slice", 2, 4})), "");
  EXPECT_EQ(all(refusals_of_jobset({longest + "a", "slice", 2, 4})),
            "name " + longest + "a-slice-1-3-abcde of a Pod has 64 characters, and 63 are allowed");
  EXPECT_EQ(all(refusals_of_jobset({longest + "a", "slice", 2, {}})), "");
  EXPECT_NE(all(refusals_of_jobset({longest + "a", "slice", 2, 11})), "");
  EXPECT_EQ(all(refusals_of_jobset({"4d", "slice", 1, {}})),
            "name 4d-slice-0 of a Job is not made of lower-case letters, digits and inner dashes, "
            "beginning with a letter");
}

TEST(Refusals, say_of_a_name_of_63_letters_what_it_is_made_of) {
  const std::string name = "4" + std::string(62 - std::string("-slice-0").size(), 'd');
  EXPECT_TRUE(has(all(refusals_of_jobset({name, "slice", 1, {}})), "is not made of"));
}

TEST(Refusals, show_eighty_letters_of_a_name) {
  const auto shown = [](std::size_t letters) {
    const std::string name(letters - std::string("s--0").size(), 'r');
    const std::string said =
        all(refusals_of_jobset({.jobset = "s", .name = name, .replicas = 1, .completions = {}}));
    return said.find("...") == std::string::npos;
  };
  EXPECT_TRUE(shown(80));
  EXPECT_FALSE(shown(81));
}

// "-0-abcde" is behind the Job's name where there is one completion, and "-10-abcde" of eleven.
TEST(Refusals, names_of_the_pods_of_a_jobset) {
  const auto refused = [](std::size_t letters, Number completions) {
    const std::string name(letters, 'r');
    return !refusals_of_jobset(
                {.jobset = "s", .name = name, .replicas = 1, .completions = completions})
                .empty();
  };
  EXPECT_FALSE(refused(51, 1));
  EXPECT_TRUE(refused(52, 1));
  EXPECT_FALSE(refused(51, 10));
  EXPECT_TRUE(refused(51, 11));
  EXPECT_FALSE(refused(59, 0));
  EXPECT_FALSE(refused(59, {}));
  EXPECT_TRUE(refused(60, {})) << "the Job itself";
}

TEST(Refusals, coordinator) {
  const std::vector<ReplicatedJobWords> jobs = {{"j", "driver", 1, 1}, {"j", "slice", 2, 4}};
  EXPECT_EQ(all(refusals_of_coordinator({"slice", 1, 3}, jobs)), "");
  EXPECT_EQ(all(refusals_of_coordinator({"slice", {}, {}}, jobs)), "");
  EXPECT_EQ(all(refusals_of_coordinator({"none", {}, {}}, {{"j", "none", 0, {}}})),
            "spec.coordinator.jobIndex is 0, and replicated job none has 0");
  EXPECT_EQ(all(refusals_of_coordinator({"slices", 0, 0}, jobs)),
            "spec.coordinator names replicated job slices, which does not exist");
  EXPECT_EQ(all(refusals_of_coordinator({"slice", 2, 4}, jobs)),
            "spec.coordinator.jobIndex is 2, and replicated job slice has 2; "
            "spec.coordinator.podIndex is 4, and replicated job slice has 4");
}

TEST(Refusals, names_of_ray) {
  EXPECT_EQ(all(refusals_of_ray("RayCluster", std::string(53, 'a'))), "");
  EXPECT_EQ(all(refusals_of_ray("RayJob", std::string(47, 'a'))), "");
  EXPECT_EQ(all(refusals_of_ray("RayService", "70b-vllm")),
            "KubeRay 1.4 and later refuse it: the name 70b-vllm of a RayService is not made of "
            "lower-case letters, digits and inner dashes, beginning with a letter");
  const std::string name(48, 'a');
  EXPECT_EQ(all(refusals_of_ray("RayJob", name)), "KubeRay 1.4 and later refuse it: the name " +
                                                      name +
                                                      " of a RayJob has 48 characters, and 47 are "
                                                      "allowed");
  EXPECT_NE(all(refusals_of_ray("RayCluster", std::string(54, 'a'))), "");
}

TEST(Refusals, bounds_of_a_ray_group) {
  EXPECT_EQ(all(refusals_of_ray_group({.least = 3, .most = 2})),
            "KubeRay 1.6 and later refuse it: minReplicas is 3, above maxReplicas 2");
  EXPECT_EQ(all(refusals_of_ray_group({.least = 2, .most = 2})), "");
  EXPECT_EQ(all(refusals_of_ray_group({.least = 2})), "");
  EXPECT_EQ(all(refusals_of_ray_group({.most = 0})), "");
}

}  // namespace
}  // namespace tpuwh::webhook::controllers
