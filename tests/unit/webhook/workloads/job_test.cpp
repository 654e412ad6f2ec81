#include "webhook/workloads/job.hpp"

#include <gtest/gtest.h>

#include <string_view>

#include "tests/support/has.hpp"
#include "tests/support/identified.hpp"

namespace tpuwh::webhook::workloads {
namespace {

using namespace test;

TEST(JobIdentity, is_what_the_controller_wrote) {
  const Identified pod(a_pod().job("a-b-7", 3));
  EXPECT_EQ(pod.member.kind, "Job");
  EXPECT_EQ(pod.member.group, "a-b-7");
  EXPECT_EQ(pod.member.host.text, "3");
  EXPECT_EQ(pod.member.subdomain, "svc");
  EXPECT_EQ(pod.host_name(9, 12), "a-b-7-12");
  EXPECT_FALSE(pod.member.slice.present() || pod.member.slice_count.present() ||
               pod.member.gives_names);
  EXPECT_EQ(pod.member.incomplete, "");
}

TEST(JobIdentity, names_are_read_from_labels_first) {
  const auto name = [](const PodBuilder& builder) {
    const Identified pod(builder);
    return std::string(pod.member.group);
  };
  const auto pod = [] { return a_pod().owner("Job", "by-owner", "u"); };
  EXPECT_EQ(name(pod()), "by-owner");
  EXPECT_EQ(name(pod().label("job-name", "old")), "old");
  EXPECT_EQ(name(pod().label("job-name", "old").label("batch.kubernetes.io/job-name", "new")),
            "new");
  EXPECT_EQ(name(pod().label("job-name", "").label("batch.kubernetes.io/job-name", "")),
            "by-owner");
  // Kueue's, PyTorch's and other owners write job-name as well.
  EXPECT_EQ(name(a_pod().owner("Workload", "w", "u").label("job-name", "j")), "j");
}

TEST(JobIdentity, the_index_is_a_label_or_the_older_annotation) {
  const char* const key = "batch.kubernetes.io/job-completion-index";
  const auto index = [](const PodBuilder& builder) {
    const Identified pod(builder);
    return std::string(pod.member.host.text);
  };
  const auto pod = [] { return a_pod().owner("Job", "j", "u"); };
  EXPECT_EQ(index(pod()), "");
  EXPECT_EQ(index(pod().annotation(key, "1")), "1");
  EXPECT_EQ(index(pod().annotation(key, "1").label(key, "2")), "2");
  EXPECT_EQ(index(pod().annotation(key, "1").label(key, "")), "1");
}

TEST(JobIdentity, what_is_missing_is_said) {
  const Identified pod(a_pod().owner("Job", "j", "u"));
  EXPECT_TRUE(has(pod.member.incomplete, "completionMode: Indexed"));
  const Identified nameless(a_pod().owner("Job", "", "u"));
  EXPECT_TRUE(has(nameless.member.incomplete, "job-name"));
}

}  // namespace
}  // namespace tpuwh::webhook::workloads
