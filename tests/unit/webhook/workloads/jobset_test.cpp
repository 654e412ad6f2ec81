#include "webhook/workloads/jobset.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "tests/support/identified.hpp"

namespace tpuwh::webhook::workloads {
namespace {

using test::a_pod;
using test::Identified;

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
    for (const test::json& value : {test::json(""), test::json(nullptr)}) {
      const Identified pod(a_pod().jobset("s", "r", 2, 1, 0).label(key, value));
      EXPECT_NE(pod.member.incomplete.find(key), std::string_view::npos) << pod.member.incomplete;
    }
  }
  const char* const index = "batch.kubernetes.io/job-completion-index";
  const Identified pod(a_pod().jobset("s", "r", 2, 1, 0).label(index, "").annotation(index, ""));
  EXPECT_NE(pod.member.incomplete.find("completionMode: Indexed"), std::string_view::npos);
}

}  // namespace
}  // namespace tpuwh::webhook::workloads
