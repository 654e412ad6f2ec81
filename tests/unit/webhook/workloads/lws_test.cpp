// A group, or each of its subgroups, is a slice (docs/facts.md#lws, #lws-subgroups).
#include "webhook/workloads/lws.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

#include "tests/support/admitted.hpp"

namespace tpuwh::webhook::workloads {
namespace {

using namespace test;

const std::string lws_prefix = "leaderworkerset.sigs.k8s.io/";
const char* const slice_key = "tpu-webhook.dev/slice-key";

// Member `worker` of group 1 of vllm, after LWS's webhook has written its labels.
PodBuilder member(unsigned worker, unsigned size) {
  return a_pod().lws("vllm", 1, worker, size).on("2x4", 4);
}
PodBuilder leader_has_tpu(PodBuilder pod) {
  return pod.annotation(lws_prefix + "leader-requests-tpus", "true");
}
PodBuilder subgroups(PodBuilder pod, const char* size) {
  return pod.annotation(lws_prefix + "subgroup-size", size);
}

TEST(Lws, a_leader_with_tpu_is_host_zero) {
  const std::string hosts = "vllm-1.svc,vllm-1-1.svc";
  const auto leader = admit(member(0, 2));
  EXPECT_EQ(effective(leader, "TPU_WORKER_ID"), "0");
  EXPECT_EQ(effective(leader, "TPU_WORKER_HOSTNAMES"), hosts);
  EXPECT_EQ(effective(leader, "TPU_NAME"), "vllm-1");
  const auto worker = admit(leader_has_tpu(member(1, 2)));
  EXPECT_EQ(effective(worker, "TPU_WORKER_ID"), "1");
  EXPECT_EQ(effective(worker, "TPU_WORKER_HOSTNAMES"), hosts);
  EXPECT_EQ(label(leader, slice_key), label(worker, slice_key));
  EXPECT_EQ(effective(worker, "TPU_PROCESS_ADDRESSES"), "(absent)");
}

TEST(Lws, without_tpu_on_the_leader_workers_count_from_zero) {
  for (unsigned worker = 1; worker <= 2; ++worker) {
    const auto answer = admit(member(worker, 3));
    EXPECT_EQ(effective(answer, "TPU_WORKER_ID"), std::to_string(worker - 1));
    EXPECT_EQ(effective(answer, "TPU_WORKER_HOSTNAMES"), "vllm-1-1.svc,vllm-1-2.svc");
  }
}

// LWS's webhook may come after ours: its index labels are not there yet.
TEST(Lws, before_its_webhook_the_ordinal_serves) {
  const auto without = [](PodBuilder pod, const char* label) {
    return pod.remove("/metadata/labels/leaderworkerset.sigs.k8s.io~1" + std::string(label));
  };
  const auto leader = member(0, 2).label("apps.kubernetes.io/pod-index", "1");
  EXPECT_EQ(admit(without(leader, "group-index")).patch, admit(leader).patch);
  const auto worker = leader_has_tpu(member(1, 2)).label("apps.kubernetes.io/pod-index", "1");
  EXPECT_EQ(admit(without(worker, "worker-index")).patch, admit(worker).patch);
  auto bare = without(leader_has_tpu(member(1, 2)), "worker-index");
  EXPECT_EQ(admit(bare.remove("/metadata/labels/apps.kubernetes.io~1pod-index")).reason,
            Reason::no_identity);
}

TEST(Lws, subgroups_are_slices) {
  std::map<std::string, std::set<std::string>> ids;
  for (unsigned worker = 0; worker < 4; ++worker) {
    const auto answer = admit(subgroups(leader_has_tpu(member(worker, 4)), "2"));
    const std::string hosts = effective(answer, "TPU_WORKER_HOSTNAMES");
    EXPECT_EQ(hosts, worker < 2 ? "vllm-1.svc,vllm-1-1.svc" : "vllm-1-2.svc,vllm-1-3.svc");
    EXPECT_EQ(effective(answer, "TPU_NAME"), worker < 2 ? "vllm-1-0" : "vllm-1-1");
    ids[label(answer, slice_key)].insert(effective(answer, "TPU_WORKER_ID"));
  }
  const std::set<std::string> both = {"0", "1"};
  ASSERT_EQ(ids.size(), 2u);
  for (const auto& [key, members] : ids) EXPECT_EQ(members, both);
}

TEST(Lws, subgroups_join_when_the_user_says_how_many) {
  const auto answer =
      admit(subgroups(leader_has_tpu(member(3, 4)), "2").env("MEGASCALE_NUM_SLICES", "2"));
  EXPECT_EQ(effective(answer, "MEGASCALE_SLICE_ID"), "1");
  EXPECT_EQ(effective(answer, "MEGASCALE_COORDINATOR_ADDRESS"), "vllm-1.svc");
  // Groups are replicas of each other, not slices of one job.
  const auto group = admit(leader_has_tpu(member(1, 2)).env("MEGASCALE_NUM_SLICES", "2"));
  EXPECT_EQ(effective(group, "MEGASCALE_SLICE_ID"), "(absent)");
}

TEST(Lws, the_excluded_leader_is_in_no_slice) {
  const auto excluded = [](PodBuilder pod) {
    return subgroups(pod, "2").annotation(lws_prefix + "subgroup-policy-type", "LeaderExcluded");
  };
  EXPECT_EQ(admit(excluded(member(0, 5))).reason, Reason::no_identity);
  const auto worker = admit(excluded(leader_has_tpu(member(3, 5))));
  EXPECT_EQ(effective(worker, "TPU_WORKER_HOSTNAMES"), "vllm-1-3.svc,vllm-1-4.svc");
  EXPECT_EQ(effective(worker, "TPU_WORKER_ID"), "0");
  // With TPUs of its own it is a slice of one host, and not "worker-index 0, expected 1 or more".
  EXPECT_EQ(admit(excluded(member(0, 5)).topology("2x2")).reason, Reason::single_host);
}

// Label and env of LWS's own webhook disagree here (docs/facts.md#lws-subgroups).
TEST(Lws, unequal_subgroups_are_left_alone_with_the_numbers) {
  const auto answer = admit(subgroups(member(1, 4), "2"));
  EXPECT_TRUE(answer.patch.empty());
  EXPECT_TRUE(has(answer.warnings,
                  "a group of 4 without its leader, which is not in a slice, cannot be "
                  "split into subgroups of 2"));
}

TEST(Lws, a_group_of_another_size_is_left_alone_with_the_numbers) {
  const auto answer = admit(leader_has_tpu(member(1, 4)));
  EXPECT_TRUE(answer.patch.empty());
  EXPECT_TRUE(
      has(answer.warnings, "a group of 4 has 4 members, but 2x4 with 4 chips per Pod has 2 hosts"));
}

TEST(Lws, a_service_for_each_group_is_called_like_its_leader) {
  const auto answer = admit(
      leader_has_tpu(member(1, 2)).annotation(lws_prefix + "subdomainPolicy", "UniquePerReplica"));
  EXPECT_EQ(effective(answer, "TPU_WORKER_HOSTNAMES"), "vllm-1.vllm-1,vllm-1-1.vllm-1");
}

TEST(Lws, its_exclusive_topology_is_the_domain) {
  const auto domain = [](const Admitted& answer) {
    return answer.object["spec"]["affinity"]["podAffinity"]
                        ["requiredDuringSchedulingIgnoredDuringExecution"][0]["topologyKey"];
  };
  const auto pod = leader_has_tpu(member(1, 2));
  EXPECT_EQ(domain(admit(pod)), "cloud.google.com/gke-nodepool");
  EXPECT_EQ(domain(admit(PodBuilder(pod).annotation(lws_prefix + "exclusive-topology", "rack"))),
            "rack");
  // Subgroups that are kept on one node pool cannot repel each other from it.
  const auto parts =
      subgroups(leader_has_tpu(member(3, 4)), "2")
          .annotation(lws_prefix + "exclusive-topology", "cloud.google.com/gke-nodepool");
  const auto answer = admit(parts);
  EXPECT_NE(label(answer, slice_key), "");
  EXPECT_FALSE(answer.object["spec"].contains("affinity") &&
               answer.object["spec"]["affinity"].contains("podAntiAffinity"));
}

TEST(Lws, indices_are_plain_decimals_of_the_group) {
  for (const char* bad : {"01", "-1", "2", "4294967296", "1e3"})
    EXPECT_EQ(admit(leader_has_tpu(member(1, 2)).label(lws_prefix + "worker-index", bad)).reason,
              Reason::bad_index)
        << bad;
}

// As LeaderWorkerSet's own webhook has it.
TEST(Lws, a_slice_of_one_host_has_a_name) {
  const auto answer = admit(a_pod().lws("vllm", 1, 0, 1).on("2x2", 4));
  EXPECT_EQ(effective(answer, "TPU_NAME"), "vllm-1");
  EXPECT_EQ(effective(answer, "TPU_WORKER_ID"), "(absent)");
}

// Worker 1 of three, each a subgroup, as the webhook of LeaderWorkerSet 0.10 leaves it: its own
// name (docs/facts.md#lws-minus-one).
TEST(Lws, a_subgroup_of_one_that_has_its_own_name_stays) {
  const PodBuilder pod = subgroups(a_pod().lws("vllm", 1, 1, 3).on("2x2", 4), "1")
                             .env("TPU_WORKER_HOSTNAMES", "vllm-1-1.svc")
                             .env("TPU_WORKER_ID", "0")
                             .env("TPU_NAME", "vllm-1");
  const auto answer = admit(pod);
  EXPECT_EQ(effective(answer, "TPU_WORKER_HOSTNAMES"), "vllm-1-1.svc");
  EXPECT_EQ(effective(answer, "TPU_WORKER_ID"), "0");
  EXPECT_TRUE(answer.warnings.empty()) << json(answer.warnings);
}

TEST(Lws, the_id_of_nobody_becomes_zero) {
  const PodBuilder pod =
      subgroups(a_pod().lws("vllm", 1, 1, 3).on("2x2", 4), "1").env("TPU_WORKER_ID", "-1");
  const auto answer = admit(pod);
  EXPECT_EQ(effective(answer, "TPU_WORKER_ID"), "0");
  EXPECT_TRUE(answer.warnings.empty()) << json(answer.warnings);
  EXPECT_EQ(admit_pod(answer.object).patch, json::array());
  // Another owner's is the user's.
  const auto job = admit(a_pod().job("train", 0).on("2x2", 4).env("TPU_WORKER_ID", "-1"));
  EXPECT_EQ(effective(job, "TPU_WORKER_ID"), "-1");
}

}  // namespace
}  // namespace tpuwh::webhook::workloads
