#include "webhook/workloads/jobset.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "tests/support/admitted.hpp"
#include "tests/support/identified.hpp"

namespace tpuwh::webhook::workloads {
namespace {

using namespace test;

TEST(JobSetIdentity, is_what_the_controller_wrote) {
  // Dashes everywhere: "a-b" + "c" and "a" + "b-c" give the same text.
  const Identified pod(a_pod().jobset("a-b", "c", 3, 2, 1));
  EXPECT_EQ(pod.member.kind, "JobSet");
  EXPECT_EQ(pod.member.group, "a-b");
  EXPECT_EQ(pod.member.part, "c");
  EXPECT_EQ(pod.member.host.text, "1");
  EXPECT_EQ(pod.member.slice.text, "2");
  EXPECT_EQ(pod.member.slice_count.text, "3");
  EXPECT_EQ(pod.host_name(2, 1), "a-b-c-2-1");
  EXPECT_EQ(pod.member.subdomain, "a-b");
  EXPECT_TRUE(pod.member.slices_are_one_job && pod.member.coordinator_known);
  EXPECT_FALSE(pod.member.gives_names || pod.member.group_slice.present());
}

// Beside another replicated job "global-replicas" counts the Jobs of both
// (kubernetes-sigs/jobset#787).
TEST(JobSetIdentity, counts_the_slices_of_its_own_replicated_job) {
  const PodBuilder pod =
      a_pod().jobset("s", "r", 2, 1, 0).label("jobset.sigs.k8s.io/global-replicas", "5");
  EXPECT_EQ(Identified(pod).member.slice_count.text, "2");
  const auto answer = admit(PodBuilder(pod).on("2x4", 4));
  EXPECT_EQ(effective(answer, "MEGASCALE_NUM_SLICES"), "2");
  EXPECT_EQ(effective(answer, "MEGASCALE_SLICE_ID"), "1");
}

// The Job's own index reaches a container by a variable that a manifest may forget in one of two
// (SemiAnalysisAI/InferenceX#1814); the id is written into each that has chips, and into no other.
TEST(JobSetIdentity, reaches_each_container_that_has_chips) {
  const auto answer = admit(a_pod()
                                .jobset("s", "r", 1, 0, 1)
                                .on("2x4", 4)
                                .container("bench")
                                .env("JOB_COMPLETION_INDEX", "1"));
  EXPECT_EQ(effective(answer, "TPU_WORKER_ID"), "1");
  EXPECT_EQ(effective(answer, "TPU_WORKER_ID", 1), "(absent)");
}

TEST(JobSetIdentity, a_group_of_several_replicated_jobs_counts_its_slices) {
  const auto grouped = [](const char* group, const char* replicas, const char* index) {
    return a_pod()
        .jobset("s", "r", 2, 1, 0)
        .label("jobset.sigs.k8s.io/group-name", group)
        .label("jobset.sigs.k8s.io/group-replicas", replicas)
        .label("jobset.sigs.k8s.io/job-group-index", index);
  };
  const Identified several(grouped("g", "4", "3"));
  EXPECT_EQ(several.member.slice.text, "1") << "host names keep their own";
  EXPECT_EQ(several.member.group_slice.text, "3");
  EXPECT_EQ(several.member.slice_count.text, "4");
  EXPECT_FALSE(several.member.coordinator_known);
  for (const auto& pod : {grouped("default", "4", "3"), grouped("", "4", "3"),
                          grouped("g", "", "3"), grouped("g", "4", ""), grouped("g", "2", "1")}) {
    const Identified alone(pod);
    EXPECT_FALSE(alone.member.group_slice.present());
    EXPECT_EQ(alone.member.slice_count.text, "2");
    EXPECT_TRUE(alone.member.coordinator_known);
  }
}

TEST(JobSetIdentity, what_is_missing_is_named) {
  for (const char* label : {"replicatedjob-name", "job-index", "replicatedjob-replicas"}) {
    const std::string key = std::string("jobset.sigs.k8s.io/") + label;
    for (const json& value : {json(""), json(nullptr)}) {
      const Identified pod(a_pod().jobset("s", "r", 2, 1, 0).label(key, value));
      EXPECT_TRUE(has(pod.member.incomplete, key));
    }
  }
  const char* const index = "batch.kubernetes.io/job-completion-index";
  const Identified pod(a_pod().jobset("s", "r", 2, 1, 0).label(index, "").annotation(index, ""));
  EXPECT_TRUE(has(pod.member.incomplete, "completionMode: Indexed"));
}

// Replicated job "second" of a group of three slices, of which slice 0 is "first"'s.
PodBuilder of_a_group() {
  return a_pod()
      .jobset("train", "second", 2, 1, 1)
      .on("2x4", 4)
      .label("jobset.sigs.k8s.io/group-name", "g")
      .label("jobset.sigs.k8s.io/group-replicas", "3")
      .label("jobset.sigs.k8s.io/job-group-index", "2");
}

TEST(JobSetGroup, meets_at_the_coordinator_of_the_jobset) {
  const auto answer =
      admit(of_a_group().label("jobset.sigs.k8s.io/coordinator", "train-first-0-0.train"));
  EXPECT_EQ(effective(answer, "MEGASCALE_COORDINATOR_ADDRESS"), "train-first-0-0.train");
  EXPECT_EQ(effective(answer, "MEGASCALE_NUM_SLICES"), "3");
  EXPECT_EQ(effective(answer, "MEGASCALE_SLICE_ID"), "2");
  EXPECT_TRUE(answer.warnings.empty()) << json(answer.warnings);
}

TEST(JobSetGroup, without_a_coordinator_nobody_joins) {
  const auto answer = admit(of_a_group());
  EXPECT_EQ(effective(answer, "MEGASCALE_NUM_SLICES"), "(absent)");
  EXPECT_TRUE(has(answer.warnings, "TPU-206: the 3 slices of this group"));
  // Whoever says it all himself is not told.
  EXPECT_FALSE(has(admit(of_a_group().env("MEGASCALE_NUM_SLICES", "")).warnings, "TPU-206"));
}

// The coordinator of other JobSets is not where slices meet (Pathways' head).
TEST(JobSetGroup, is_the_only_one_that_reads_the_coordinator) {
  const auto answer = admit(a_pod()
                                .jobset("train", "slice", 2, 1, 1)
                                .on("2x4", 4)
                                .label("jobset.sigs.k8s.io/coordinator", "train-head-0-0.train"));
  EXPECT_EQ(effective(answer, "MEGASCALE_COORDINATOR_ADDRESS"), "train-slice-0-0.train");
}

}  // namespace
}  // namespace tpuwh::webhook::workloads
