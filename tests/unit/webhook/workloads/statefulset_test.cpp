// Consecutive ordinals are the hosts of a slice (docs/facts.md#statefulset-ordinals).
#include "webhook/workloads/statefulset.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "tests/support/admitted.hpp"

namespace tpuwh::webhook::workloads {
namespace {

using namespace test;

const char* const key_label = "tpu-webhook.dev/slice-key";

PodBuilder sax(unsigned ordinal) {
  return a_pod().statefulset("sax", ordinal).on("2x4", 4);
}

TEST(StatefulSet, hosts_are_consecutive_ordinals) {
  std::set<std::string> keys;
  for (unsigned ordinal = 0; ordinal < 6; ++ordinal) {
    const auto answer = admit(sax(ordinal));
    const std::string first = std::to_string(ordinal / 2 * 2);
    const std::string second = std::to_string(ordinal / 2 * 2 + 1);
    EXPECT_EQ(effective(answer, "TPU_WORKER_ID"), std::to_string(ordinal % 2));
    EXPECT_EQ(effective(answer, "TPU_WORKER_HOSTNAMES"),
              "sax-" + first + ".svc,sax-" + second + ".svc");
    EXPECT_TRUE(answer.warnings.empty()) << answer.body;
    keys.insert(label(answer, key_label));
  }
  EXPECT_EQ(keys.size(), 3u);
}

TEST(StatefulSet, digits_grow_inside_a_slice) {
  const auto answer = admit(a_pod().statefulset("sax", 11).on("4x4", 4));
  EXPECT_EQ(effective(answer, "TPU_WORKER_HOSTNAMES"), "sax-8.svc,sax-9.svc,sax-10.svc,sax-11.svc");
}

TEST(StatefulSet, the_ordinal_is_in_the_name_where_there_is_no_label) {
  const auto pod = sax(3).remove("/metadata/labels");
  EXPECT_EQ(effective(admit(pod), "TPU_WORKER_ID"), "1");
  const auto nameless = PodBuilder(pod).set("/metadata/name", "other-3");
  EXPECT_EQ(admit(nameless).reason, Reason::no_identity);
}

TEST(StatefulSet, a_start_ordinal_is_said_by_an_annotation) {
  const auto started = [](unsigned ordinal, const char* start) {
    return admit(sax(ordinal).ours("start-ordinal", start));
  };
  EXPECT_EQ(effective(started(5, "5"), "TPU_WORKER_ID"), "0");
  EXPECT_EQ(effective(started(6, "5"), "TPU_WORKER_HOSTNAMES"), "sax-5.svc,sax-6.svc");
  EXPECT_FALSE(started(4, "5").allowed);
  EXPECT_EQ(started(5, "five").reason, Reason::no_identity);
}

TEST(StatefulSet, joins_its_slices_when_the_user_says_how_many) {
  const auto answer = admit(sax(3).env("MEGASCALE_NUM_SLICES", "2"));
  EXPECT_EQ(effective(answer, "MEGASCALE_SLICE_ID"), "1");
  EXPECT_EQ(effective(answer, "MEGASCALE_COORDINATOR_ADDRESS"), "sax-0.svc");
  const auto beyond = admit(sax(4).env("MEGASCALE_NUM_SLICES", "2"));
  EXPECT_EQ(beyond.reason, Reason::bad_index);
  EXPECT_TRUE(has(beyond.message, "the job has 2 slices"));
  EXPECT_EQ(effective(admit(sax(3)), "MEGASCALE_SLICE_ID"), "(absent)");
}

TEST(StatefulSet, of_one_host_is_left_to_the_device_plugin) {
  const auto answer = admit(a_pod().statefulset("sax", 3).on("2x2", 4));
  EXPECT_TRUE(answer.patch.empty()) << answer.patch;
}

TEST(StatefulSet, an_ordinal_is_an_int32) {
  EXPECT_FALSE(admit(sax(0).label("apps.kubernetes.io/pod-index", "4294967295")).allowed);
}

}  // namespace
}  // namespace tpuwh::webhook::workloads
