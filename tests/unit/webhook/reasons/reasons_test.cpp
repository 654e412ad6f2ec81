#include "webhook/reasons/reasons.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "tests/support/admitted.hpp"

namespace tpuwh::webhook::reasons {
namespace {

using outcome::Reason;

TEST(Reasons, have_words_of_their_own) {
  std::set<std::string_view> all;
  for (auto i = static_cast<int>(Reason::injected); i <= static_cast<int>(Reason::internal_error);
       ++i) {
    const auto reason = static_cast<Reason>(i);
    const std::string_view words = explain_reason(reason);
    EXPECT_NE(words.find(' '), std::string_view::npos) << outcome::name(reason);
    EXPECT_TRUE(all.insert(words).second) << words;
  }
}

// Each workload API has an index of its own.
TEST(Reasons, of_a_variable_say_where_it_comes_from) {
  const auto ends = [](std::string_view variable, std::string_view workload, std::string_view end) {
    const std::string said = explain_variable(variable, workload);
    EXPECT_TRUE(said.ends_with(end)) << variable << ' ' << workload << ": " << said;
  };
  ends("TPU_WORKER_ID", "ray", "from label ray.io/replica-host-index, else the ledger");
  ends("TPU_WORKER_ID", "lws", "from label leaderworkerset.sigs.k8s.io/worker-index");
  ends("TPU_WORKER_ID", "statefulset", "from the StatefulSet's ordinal");
  ends("TPU_WORKER_ID", "job", "from the Job's completion index");
  ends("TPU_WORKER_ID", "jobset", "from the Job's completion index");
  ends("TPU_WORKER_ID", "pod", "from annotation worker-id");
  ends("MEGASCALE_SLICE_ID", "ray",
       "from label ray.io/worker-group-replica-index, else the ledger");
  ends("MEGASCALE_SLICE_ID", "jobset", "from label jobset.sigs.k8s.io/job-index");
  ends("MEGASCALE_SLICE_ID", "lws", "from the subgroup of its worker-index");
  ends("MEGASCALE_SLICE_ID", "statefulset", "from the StatefulSet's ordinal");
  ends("MEGASCALE_SLICE_ID", "job", "from annotation slice-id, else the completion index");
  ends("MEGASCALE_NUM_SLICES", "jobset", "from label jobset.sigs.k8s.io/replicatedjob-replicas");
  ends("MEGASCALE_NUM_SLICES", "job", "from annotation slice-count");
  ends("MEGASCALE_PORT", "ray", "Ray serves metrics on 8080");
  ends("MEGASCALE_PORT", "job", "plus 1 for each further container");
  EXPECT_EQ(explain_variable("PATH", "job"), "");
}

TEST(Reasons, of_a_path_are_those_of_its_row) {
  const std::string_view prefix = "tpu-webhook.dev/";
  EXPECT_NE(explain_path("add", "/spec/hostname", prefix), "");
  EXPECT_NE(explain_path("add", "/metadata/annotations/tpu-webhook.dev~1slice", prefix), "");
  EXPECT_EQ(explain_path("add", "/metadata/annotations/other.dev~1slice", prefix), "");
  EXPECT_EQ(explain_path("add", "/spec/serviceAccountName", prefix), "");
  EXPECT_EQ(explain_path("move", "/spec/hostname", prefix), "");
}

// `review --output text --workloads ray` of a Job's Pod printed "because   switched_off".
TEST(Reasons, of_a_switched_off_api_name_the_flag) {
  test::Around around;
  around.config.workloads = {config::WorkloadKind::ray};
  const auto answer = test::admit(test::a_pod().job("train", 0).on("2x4", 4), around);
  ASSERT_EQ(answer.reason, Reason::switched_off);
  EXPECT_EQ(explain_reason(answer.reason), "this workload API is switched off (--workloads)");
}

}  // namespace
}  // namespace tpuwh::webhook::reasons
