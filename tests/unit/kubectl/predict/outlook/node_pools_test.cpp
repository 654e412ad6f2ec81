#include "tests/unit/kubectl/predict/outlook/a_cluster.hpp"

#include <gmock/gmock.h>

namespace tpuwh::server::outlook {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

TEST_F(OutlookTest, is_good_where_a_pool_is_whole_and_free) {
  pool("a");
  const auto outlook = of(job());
  EXPECT_EQ(outlook.verdict, Verdict::forms);
  EXPECT_EQ(outlook.sentence, "forms now on a");
  ASSERT_EQ(outlook.places.size(), 1u);
  EXPECT_EQ(outlook.places.front().pool, "a");
  EXPECT_TRUE(outlook.waits.empty());
  EXPECT_TRUE(outlook.not_known.empty());
}

TEST_F(OutlookTest, gives_each_slice_a_pool_of_its_own) {
  pool("a");
  pool("b");
  const auto outlook = of(job(2));
  EXPECT_EQ(outlook.sentence, "forms now: slice 0 of 2 on a, slice 1 of 2 on b");
  const auto two = of({job(1, "first"), job(2, "second")});
  EXPECT_EQ(two[0].sentence, "forms now on a");
  EXPECT_EQ(two[1].verdict, Verdict::waits);
  EXPECT_EQ(two[1].sentence, "waits for a node pool of its shape; 1 of 2 slices have a place");
  EXPECT_EQ(waits(two[1]),
            "no_pool: slice 1 of 2: no node pool of tpu-v6e-slice 4x4 is left: a goes to Job "
            "ml/first, b goes to Job ml/second, slice 0 of 2");
}

TEST_F(OutlookTest, folds_many_slices) {
  for (int i = 0; i < 64; ++i) pool(fmt::format("p{:02}", i));
  const auto all = of(job(64));
  EXPECT_EQ(all.sentence, "forms now: 64 slices on 64 node pools");
  EXPECT_EQ(all.places.size(), 64u);
  const auto more = of(job(66));
  ASSERT_EQ(more.waits.size(), 1u);
  EXPECT_EQ(more.waits.front().what,
            "2 of 66 slices: no node pool of tpu-v6e-slice 4x4 is left: p00 goes to Job ml/train, "
            "slice 0 of 66, p01 goes to Job ml/train, slice 1 of 66, p02 goes to Job ml/train, "
            "slice 2 of 66, p03 goes to Job ml/train, slice 3 of 66 and 60 more");
}

TEST_F(OutlookTest, makes_no_pool_of_a_name_that_is_there) {
  pool("v6e-4x4-4t");
  EXPECT_THAT(help(of(job(2))), HasSubstr("node-pools create v6e-4x4-4t-1 "));
  pool("v6e-4x4-4t-1");
  EXPECT_THAT(help(of(job(3))), HasSubstr("node-pools create v6e-4x4-4t-2 "));
}

TEST_F(OutlookTest, names_the_shapes_there_are_where_none_fits) {
  cluster.objects = {a_node("small", 0, "2x4"), a_node("small", 1, "2x4")};
  const auto outlook = of(job(2));
  EXPECT_EQ(outlook.sentence, "waits for a node pool of its shape");
  EXPECT_EQ(waits(outlook),
            "no_pool: all 2 slices: no node pool of tpu-v6e-slice 4x4 (4 nodes of 4 chips) has a "
            "node; the cluster has tpu-v6e-slice 2x4 (1 node pool); a node pool that is scaled to "
            "zero shows no node, so whether there is one is not known from the cluster");
  EXPECT_THAT(help(outlook), HasSubstr("gcloud container node-pools create v6e-4x4-4t-1"));
  EXPECT_THAT(help(outlook), HasSubstr("gcloud container node-pools list"));
  cluster.objects.clear();
  EXPECT_THAT(waits(of(job())), HasSubstr("has a node; no node of the cluster has TPUs;"));
}

TEST_F(OutlookTest, names_who_holds_the_pools) {
  pool("a");
  hold("other", "a");
  auto outlook = of(job());
  EXPECT_EQ(outlook.sentence, "waits for a node pool that is free");
  EXPECT_EQ(waits(outlook), "pool_taken: node pool a is held by Job ml/other");
  EXPECT_EQ(help(outlook), "kubectl -n ml get job other\n");
  pool("b");
  hold("third", "b");
  node("b-2")["spec"]["unschedulable"] = true;
  EXPECT_EQ(waits(of(job(2))),
            "pool_taken: all 2 slices: 2 node pools of tpu-v6e-slice 4x4 are held: a by Job "
            "ml/other; b by Job ml/third, node b-2 is cordoned");
}

TEST_F(OutlookTest, counts_a_pod_that_is_being_deleted_and_not_one_that_has_ended) {
  pool("a");
  hold("other", "a");
  set_of_pods("/metadata/deletionTimestamp", "2026-11-23T00:00:00Z");
  EXPECT_EQ(waits(of(job())), "pool_taken: node pool a is held by Job ml/other (being deleted)");
  set_of_pods("/status/phase", "Succeeded");
  EXPECT_EQ(of(job()).verdict, Verdict::forms);
}

TEST_F(OutlookTest, finds_what_it_holds_itself_free) {
  pool("a");
  pool("b");
  hold("train", "b");
  EXPECT_EQ(of(job()).sentence, "runs on b");
  EXPECT_EQ(of(job(2)).sentence, "runs: slice 0 of 2 on b; forms now: slice 1 of 2 on a");
  set_of_pods("/status/phase", "Pending");
  EXPECT_EQ(of(job()).sentence, "is bound on b, but does not all run");
}

TEST_F(OutlookTest, asks_nothing_more_of_nodes_on_which_it_stands) {
  pool("a");
  hold("train", "a");
  node("a-1")["spec"]["unschedulable"] = true;
  node("a-2")["status"]["allocatable"]["google.com/tpu"] = "3";
  EXPECT_EQ(of(job()).sentence, "runs on a (audit warns: chips-per-node)");
  hold("train", "a");
  set_of_pods("/metadata/deletionTimestamp", "2026-11-23T00:00:00Z");
  EXPECT_THAT(waits(of(job())), HasSubstr("Job ml/train (being deleted)"));
}

TEST_F(OutlookTest, counts_the_nodes_of_a_pool_that_is_too_small) {
  pool("a", 2);
  const auto outlook = of(job());
  EXPECT_EQ(outlook.sentence, "waits for a node pool with enough nodes");
  EXPECT_EQ(waits(outlook),
            "pool_too_small: node pool a has 2 nodes; a slice of tpu-v6e-slice 4x4 needs 4");
  EXPECT_THAT(help(outlook), HasSubstr("kubectl get nodes -l cloud.google.com/gke-nodepool=a\n"));
}

TEST_F(OutlookTest, says_of_a_taint_what_becomes_of_it) {
  const std::pair<const char*, const char*> taints[] = {
      {"cloud.google.com/gke-spot",
       "Pods that are meant for such nodes tolerate cloud.google.com/gke-spot=true:NoSchedule"},
      {"cloud.google.com/compute-class",
       "Pods that are meant for such nodes select cloud.google.com/compute-class=true"},
      {"node.cloudprovider.kubernetes.io/uninitialized",
       "the platform removes node.cloudprovider."},
      {"node.kubernetes.io/disk-pressure",
       "the control plane removes node.kubernetes.io/disk-pressure=true:NoSchedule once the node "
       "is repaired"},
      {"team", "whoever set taint team=true:NoSchedule removes it, or the Pods tolerate it"}};
  pool("a");
  for (const auto& [key, want] : taints) {
    node("a-1")["spec"]["taints"] = {{{"key", key}, {"value", "true"}, {"effect", "NoSchedule"}}};
    EXPECT_THAT(waits(of(job())), HasSubstr(want));
  }
}

TEST_F(OutlookTest, names_nodes_that_cannot_be_used) {
  pool("a");
  node("a-1")["spec"]["unschedulable"] = true;
  node("a-2")["spec"]["taints"] = {{{"key", "team"}, {"value", "blue"}, {"effect", "NoSchedule"}}};
  node("a-3")["status"]["conditions"] = {{{"type", "Ready"}, {"status", "False"}}};
  const auto outlook = of(job());
  EXPECT_EQ(outlook.sentence, "waits for nodes that it can use");
  EXPECT_EQ(
      waits(outlook),
      "pool_unusable: node pool a has 1 of 4 nodes that can be used: node a-1 is cordoned, node "
      "a-2 has taint team, which the Pods do not tolerate, node a-3 is not ready; whoever set "
      "taint team=blue:NoSchedule removes it, or the Pods tolerate it; GKE cordons nodes that it "
      "upgrades or repairs and uncordons them itself; whoever cordoned others must uncordon them");
  EXPECT_EQ(help(outlook),
            "kubectl describe node a-1\nkubectl describe node a-2\n"
            "kubectl describe node a-3\nkubectl uncordon a-1\n");
  // Whoever tolerates it, can.
  node("a-1")["spec"] = Json::object();
  node("a-3")["status"]["conditions"] = {{{"type", "Ready"}, {"status", "True"}}};
  const auto tolerant =
      a_member().set("/spec/tolerations", {{{"key", "team"}, {"operator", "Exists"}}});
  EXPECT_EQ(of(job_of(tolerant)).verdict, Verdict::forms);
}

TEST_F(OutlookTest, tells_several_reasons_of_several_pools) {
  pool("a");
  hold("other", "a");
  pool("b");
  node("b-0")["spec"]["unschedulable"] = true;
  pool("c", 3);
  const auto outlook = of(job());
  EXPECT_EQ(outlook.sentence,
            "waits for a node pool that is free, nodes that it can use and a node pool with enough "
            "nodes");
  EXPECT_EQ(outlook.waits.size(), 3u);
}

TEST_F(OutlookTest, says_which_selector_no_node_matches) {
  pool("a");
  const auto blue = job_of(a_member().selector("team", "blue"));
  EXPECT_EQ(waits(of(blue)),
            "no_pool: 1 node pool of tpu-v6e-slice 4x4, but no node has team=blue, which the Pods "
            "select");
  node("a-0")["metadata"]["labels"]["team"] = "blue";
  EXPECT_EQ(waits(of(blue)),
            "pool_too_small: node pool a has 1 node; a slice of tpu-v6e-slice 4x4 needs 4");
}

TEST_F(OutlookTest, does_not_know_of_capacity_that_is_made_on_demand) {
  pool("a");
  const auto outlook = of(job_of(a_member().selector("cloud.google.com/gke-spot", "true")));
  EXPECT_EQ(outlook.sentence, "waits for capacity");
  EXPECT_THAT(waits(outlook), HasSubstr("capacity: no node of tpu-v6e-slice 4x4 by Spot exists "
                                        "now; a node pool that is scaled to zero"));
  EXPECT_THAT(help(outlook), HasSubstr("--spot"));
  EXPECT_THAT(help(of(job_of(a_member().selector("cloud.google.com/gke-flex-start", "true")))),
              HasSubstr("--flex-start"));
}

TEST_F(OutlookTest, reads_the_compute_class) {
  const auto wanted = job_of(a_member().selector("cloud.google.com/compute-class", "tpus"));
  EXPECT_THAT(waits(of(wanted)), HasSubstr(", and there is no ComputeClass of that name;"));
  cluster.objects.push_back(
      test::yaml("{kind: ComputeClass, metadata: {name: tpus}, spec: {priorities: [{tpu: {type: "
                 "tpu-v6e-slice, count: 4, topology: 2x4}}, {tpu: {type: tpu-v6e-slice, count: 4, "
                 "topology: 4x4}, spot: true}]}}"));
  EXPECT_THAT(waits(of(wanted)), HasSubstr(", which its priority rule 2 of 2 makes as Spot;"));
  cluster.objects.back()["spec"]["priorities"].erase(1);
  EXPECT_THAT(waits(of(wanted)),
              HasSubstr(", and none of its 1 priority rule has tpu-v6e-slice 4x4"));
  cluster.kinds.erase("ComputeClass");
  cluster.objects.clear();
  EXPECT_THAT(waits(of(wanted)), HasSubstr("by ComputeClass tpus exists now;"));
}

// Of one host: several on a pool, and several on a node.
TEST_F(OutlookTest, puts_slices_of_one_host_on_nodes) {
  for (int number = 0; number < 2; ++number)
    cluster.objects.push_back(a_node("ones", number, "2x2"));
  auto wanted = job(3);
  for (WantedSlice& each : wanted.slices) each = a_single_host(each.title);
  const auto outlook = of(wanted);
  EXPECT_EQ(outlook.places[1].pool, "ones");
  EXPECT_EQ(waits(outlook),
            "no_pool: slice 2 of 3: no free node of tpu-v6e-slice 2x2 is left: slices before it "
            "fill ones");
  for (WantedSlice& each : wanted.slices) each.chips_per_host = 2;
  EXPECT_EQ(of(wanted).sentence,
            "forms now: slice 0 of 3 on ones, slice 1 of 3 on ones, slice 2 of 3 on ones");
}

TEST_F(OutlookTest, names_each_holder_of_nodes_once) {
  for (const std::uint32_t number : {0u, 1u, 2u}) {
    cluster.objects.push_back(a_node("ones", static_cast<int>(number), "2x2"));
    const std::string name = number == 0 ? "one" : "two";
    Json pod = a_holder(name, number, fmt::format("ones-{}", number));
    pod["spec"]["nodeSelector"]["cloud.google.com/gke-tpu-topology"] = "2x2";
    cluster.objects.push_back(pod);
  }
  auto wanted = job();
  wanted.slices.front() = a_single_host();
  EXPECT_EQ(waits(of(wanted)), "pool_taken: node pool ones is held by Job ml/one and Job ml/two");
}

TEST_F(OutlookTest, does_not_know_what_others_place) {
  pool("a");
  const auto outlook =
      of(job_of(a_member().annotation("kueue.x-k8s.io/podset-required-topology", "rack")));
  EXPECT_EQ(outlook.verdict, Verdict::not_known);
  EXPECT_EQ(outlook.sentence,
            "not known whether it forms now: where it runs: topology-aware scheduling of Kueue "
            "chooses its nodes, which is not computed here");
  auto wanted = job_of(a_member().annotation("cloud.google.com/gke-tpu-slice-topology", "2x4"));
  EXPECT_THAT(of(wanted).sentence, HasSubstr("a sub-slice or a slice made on demand"));
  wanted.slices.front().accelerator = wanted.slices.front().topology = "";
  wanted.slices.front().member = Json(test::a_pod().accelerator("").tpu(4).pod());
  EXPECT_THAT(of(wanted).sentence, HasSubstr("the Pods select no topology"));
}

TEST_F(OutlookTest, does_not_know_nodes_that_were_not_read) {
  cluster.kinds.erase("Node");
  cluster.unread = {"nodes: forbidden"};
  const auto outlook = of(job());
  EXPECT_EQ(outlook.verdict, Verdict::not_known);
  EXPECT_THAT(outlook.not_known, ElementsAre("where slices can form: Nodes were not read"));
  EXPECT_THAT(state().not_known, ElementsAre("nodes: forbidden"));
}

TEST_F(OutlookTest, gives_no_command_with_a_name_that_a_shell_reads) {
  pool("a;reboot", 4);
  hold("$(reboot)", "a;reboot");
  const auto outlook = of(job());
  EXPECT_THAT(waits(outlook), HasSubstr("a;reboot"));
  EXPECT_THAT(help(outlook), Not(HasSubstr("reboot")));
}

}  // namespace
}  // namespace tpuwh::server::outlook
