// What users say themselves, for owners that nobody knows (docs/contract.md#annotations-for-users).
#include "webhook/workloads/annotations.hpp"

#include <gtest/gtest.h>

#include <string>

#include "tests/support/admitted.hpp"

namespace tpuwh::webhook::workloads {
namespace {

using namespace test;

const std::string prefix = "tpu-webhook.dev/";

// A task of an owner that nobody has heard of.
PodBuilder task(const char* worker) {
  return a_pod()
      .owner("VolcanoJob", "train", "u")
      .on("2x4", 4)
      .ours("worker-id", worker)
      .ours("hostnames", "train-task-0.train,train-task-1.train");
}

TEST(Annotations, make_any_pod_a_member) {
  for (const char* worker : {"0", "1"}) {
    const auto answer = admit(task(worker));
    EXPECT_EQ(effective(answer, "TPU_WORKER_ID"), worker);
    EXPECT_EQ(effective(answer, "TPU_WORKER_HOSTNAMES"), "train-task-0.train,train-task-1.train");
    EXPECT_EQ(effective(answer, "MEGASCALE_SLICE_ID"), "(absent)");
    EXPECT_TRUE(answer.warnings.empty()) << answer.body;
  }
  EXPECT_EQ(label(admit(task("0")), prefix + "slice-key"),
            label(admit(task("1")), prefix + "slice-key"));
  const auto other = task("0").ours("hostnames", "b-0.train,b-1.train");
  EXPECT_NE(label(admit(task("0")), prefix + "slice-key"),
            label(admit(other), prefix + "slice-key"));
}

TEST(Annotations, stand_still_a_second_time) {
  const auto first = admit(task("1"));
  EXPECT_EQ(admit_pod(first.object).patch, json::array());
}

TEST(Annotations, slices_of_one_job) {
  const auto pod = task("0")
                       .ours("slice-id", "1")
                       .ours("slice-count", "2")
                       .ours("coordinator", "train-a-0.train");
  const auto answer = admit(pod);
  EXPECT_EQ(effective(answer, "MEGASCALE_NUM_SLICES"), "2");
  EXPECT_EQ(effective(answer, "MEGASCALE_SLICE_ID"), "1");
  EXPECT_EQ(effective(answer, "MEGASCALE_COORDINATOR_ADDRESS"), "train-a-0.train");
  const auto beyond = PodBuilder(pod).ours("slice-id", "2");
  EXPECT_FALSE(admit(beyond).allowed);
  EXPECT_TRUE(has(admit(beyond).message, "annotation slice-id is \"2\""));
}

TEST(Annotations, without_a_coordinator_slices_are_not_joined) {
  for (const char* count : {"2", "3"}) {
    const auto answer = admit(task("0").ours("slice-id", "1").ours("slice-count", count));
    EXPECT_EQ(effective(answer, "MEGASCALE_NUM_SLICES"), "(absent)");
    EXPECT_TRUE(has(answer.warnings, "add annotation coordinator"));
    EXPECT_EQ(effective(answer, "TPU_WORKER_ID"), "0");
  }
}

// "One slice" is said as well as "two": it has no other, and nothing joins them.
TEST(Annotations, one_slice_is_a_number_of_slices) {
  const auto one = [](const char* id) {
    return admit(task("0").ours("slice-id", id).ours("slice-count", "1"));
  };
  EXPECT_EQ(effective(one("0"), "TPU_WORKER_ID"), "0");
  EXPECT_EQ(effective(one("0"), "MEGASCALE_NUM_SLICES"), "(absent)");
  EXPECT_FALSE(has(one("0").warnings, "coordinator"));
  const auto coordinated =
      admit(task("0").ours("slice-count", "1").ours("coordinator", "train-a-0.train"));
  EXPECT_EQ(effective(coordinated, "MEGASCALE_NUM_SLICES"), "(absent)");
  EXPECT_FALSE(one("1").allowed);
  EXPECT_TRUE(has(one("1").message, "annotation slice-id is \"1\""));
}

TEST(Annotations, a_worker_count_stands_for_a_topology) {
  const auto pod = task("1").topology("").ours("worker-count", "2");
  EXPECT_EQ(effective(admit(pod), "TPU_WORKER_ID"), "1");
  const auto answer = admit(PodBuilder(pod).ours("worker-count", "3"));
  EXPECT_TRUE(
      has(answer.warnings, "annotation hostnames has 2 entries, but the slice has 3 hosts"));
  for (const char* count : {"0", "-1", "01", "two", "4294967296", "1048577"})
    EXPECT_FALSE(admit(PodBuilder(pod).ours("worker-count", count)).allowed) << count;
}

TEST(Annotations, a_worker_count_has_to_fit_the_topology) {
  const auto answer = admit(task("0").ours("worker-count", "4"));
  EXPECT_EQ(answer.reason, Reason::inconsistent);
  EXPECT_TRUE(has(answer.warnings, "worker-count is 4, but 2x4 with 4 chips per Pod has 2 hosts"));
}

// On a Pod template it would be the same on every Pod.
TEST(Annotations, an_owners_index_is_not_replaced) {
  const auto job = [](unsigned index) {
    return a_pod().job("t", index).on("2x4", 4).ours("worker-id", "0");
  };
  EXPECT_EQ(effective(admit(job(0)), "TPU_WORKER_ID"), "0");
  const auto answer = admit(job(1));
  EXPECT_EQ(answer.reason, Reason::inconsistent);
  EXPECT_TRUE(has(answer.warnings, "annotation worker-id is 0, but the Pod is host 1"));
  EXPECT_EQ(answer.patch, json::array());
}

TEST(Annotations, a_job_of_several_slices) {
  const auto job = [](unsigned index) {
    return admit(a_pod().job("t", index).on("2x4", 4).ours("slice-count", "2"));
  };
  EXPECT_EQ(effective(job(3), "TPU_WORKER_ID"), "1");
  EXPECT_EQ(effective(job(3), "TPU_WORKER_HOSTNAMES"), "t-2.svc,t-3.svc");
  EXPECT_EQ(effective(job(3), "MEGASCALE_SLICE_ID"), "1");
  EXPECT_EQ(effective(job(3), "MEGASCALE_COORDINATOR_ADDRESS"), "t-0.svc");
  EXPECT_NE(label(job(1), prefix + "slice-key"), label(job(2), prefix + "slice-key"));
  EXPECT_FALSE(job(4).allowed);
}

TEST(Annotations, slices_of_several_job_sets) {
  const auto answer = admit(a_pod()
                                .jobset("b", "slice", 1, 0, 1)
                                .on("2x4", 4)
                                .ours("slice-id", "1")
                                .ours("slice-count", "3")
                                .ours("coordinator", "a-slice-0-0.a"));
  EXPECT_EQ(effective(answer, "TPU_WORKER_HOSTNAMES"), "b-slice-0-0.b,b-slice-0-1.b");
  EXPECT_EQ(effective(answer, "MEGASCALE_SLICE_ID"), "1");
  EXPECT_EQ(effective(answer, "MEGASCALE_NUM_SLICES"), "3");
  EXPECT_EQ(effective(answer, "MEGASCALE_COORDINATOR_ADDRESS"), "a-slice-0-0.a");
}

// Host 0 of slice 0 is another JobSet's.
TEST(Annotations, slices_of_several_job_sets_need_a_coordinator) {
  const auto answer = admit(a_pod()
                                .jobset("b", "slice", 1, 0, 1)
                                .on("2x4", 4)
                                .ours("slice-id", "1")
                                .ours("slice-count", "3"));
  EXPECT_EQ(effective(answer, "MEGASCALE_COORDINATOR_ADDRESS"), "(absent)");
  EXPECT_EQ(effective(answer, "MEGASCALE_SLICE_ID"), "(absent)");
}

TEST(Annotations, a_job_of_one_slice_has_no_hosts_of_another) {
  const auto job = [](unsigned index) {
    return admit(a_pod().job("t", index).on("2x4", 4).ours("slice-count", "1"));
  };
  EXPECT_TRUE(job(1).allowed) << job(1).message;
  EXPECT_FALSE(job(2).allowed);
}

// Names of the user's own: none is written for them.
TEST(Annotations, hostnames_of_a_ray_worker_are_not_given) {
  const auto answer = admit(a_pod().ray("c", "g", 0, 1).on("2x4", 4).ours("hostnames", "a.x,b.x"));
  EXPECT_EQ(effective(answer, "TPU_WORKER_HOSTNAMES"), "a.x,b.x");
  EXPECT_FALSE(answer.object["spec"].contains("hostname"));
  EXPECT_FALSE(answer.object["spec"].contains("subdomain"));
}

TEST(Annotations, a_ray_worker_without_index_labels_needs_no_ledger) {
  ledger::NoLedger none("none");
  const auto pod = a_pod()
                       .ray("c", "g", 0, 0)
                       .remove("/metadata/labels/ray.io~1worker-group-replica-index")
                       .remove("/metadata/labels/ray.io~1replica-host-index")
                       .on("2x4", 4)
                       .ours("worker-id", "1")
                       .ours("slice-id", "2");
  const auto answer = admit(pod.review(), {.ledger = &none});
  EXPECT_EQ(answer.object["spec"]["hostname"], "g-2-1");
  EXPECT_EQ(effective(answer, "TPU_NAME"), "g-2");
}

TEST(Annotations, a_list_that_cannot_be_is_not_used) {
  const auto with = [](const char* hostnames) {
    return admit(task("0").ours("hostnames", hostnames));
  };
  EXPECT_TRUE(
      has(with("a,b,c").warnings, "has 3 entries, but 2x4 with 4 chips per Pod has 2 hosts"));
  EXPECT_TRUE(has(with("a,a").warnings, "has a twice"));
  EXPECT_TRUE(has(with("a:8471,b").warnings, "entry 0, a:8471, is not a host name (give no port)"));
  EXPECT_TRUE(has(with("a, b").warnings, "entry 1"));
  EXPECT_TRUE(has(with("a,").warnings, "entry 1"));
  EXPECT_EQ(with("a,").patch, json::array());
  const auto named = admit(task("0").set("/metadata/name", "not-in-the-list"));
  EXPECT_EQ(effective(named, "TPU_WORKER_ID"), "0") << named.body;
  const auto stranger = admit(task("0").set("/spec/hostname", "train-task-1"));
  EXPECT_TRUE(has(stranger.warnings, "has this Pod, train-task-1, as host 1, but it is host 0"));
  EXPECT_EQ(stranger.patch, json::array());
}

// Whose slice is known by annotations, and not which host of it.
TEST(Annotations, a_host_that_is_missing_is_named) {
  const auto asked = [](PodBuilder pod) {
    return admit(pod.on("2x4", 4).ours("slice-id", "0").ours("coordinator", "c"));
  };
  const std::string hosts = " is missing or empty, and 2x4 with 4 chips per Pod has 2 hosts";
  EXPECT_TRUE(has(asked(a_pod()).warnings, "annotation worker-id" + hosts));
  PodBuilder job = a_pod().job("t", 1);
  job.remove("/metadata/labels/batch.kubernetes.io~1job-completion-index");
  job.remove("/metadata/annotations/batch.kubernetes.io~1job-completion-index");
  EXPECT_TRUE(has(asked(job).warnings, "label batch.kubernetes.io/job-completion-index" + hosts));
}

TEST(Annotations, what_is_missing_is_named) {
  const auto nameless = admit(task("0").remove("/metadata/annotations/tpu-webhook.dev~1hostnames"));
  EXPECT_TRUE(has(nameless.warnings, "annotations worker-id and hostnames"));
  const auto anybody = admit(task("0").remove("/metadata/annotations/tpu-webhook.dev~1worker-id"));
  EXPECT_EQ(anybody.reason, Reason::no_identity);
  EXPECT_FALSE(admit(task("2")).allowed);
  EXPECT_FALSE(admit(task("01")).allowed);
}

}  // namespace
}  // namespace tpuwh::webhook::workloads
