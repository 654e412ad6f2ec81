#include "tests/unit/kubectl/predict/outlook/a_cluster.hpp"

#include <gmock/gmock.h>

namespace tpuwh::server::outlook {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class KueueQuotaTest : public OutlookTest {
 protected:
  KueueQuotaTest() {
    pool("a");
    pool("b");
    for (const char* object :
         {"{kind: LocalQueue, metadata: {name: tpus, namespace: ml}, spec: {clusterQueue: all}}",
          "{kind: ResourceFlavor, metadata: {name: v6e-4x4}, spec: {nodeLabels: "
          "{cloud.google.com/gke-tpu-topology: 4x4}}}",
          "{kind: ClusterQueue, metadata: {name: all}, status: {}, spec: {namespaceSelector: {}, "
          "resourceGroups: [{coveredResources: [google.com/tpu], flavors: [{name: v6e-4x4, "
          "resources: [{name: google.com/tpu, nominalQuota: '32'}]}]}]}}"})
      cluster.objects.push_back(test::yaml(object));
  }
  Json& object(const std::string& kind) {
    for (Json& each : cluster.objects)
      if (each["kind"] == kind) return each;
    throw std::out_of_range(kind);
  }
  Json& queue() { return object("ClusterQueue"); }
  Json& quota() { return queue()["spec"]["resourceGroups"][0]["flavors"][0]["resources"][0]; }
  static Json reserved(int chips) {
    return test::yaml(fmt::format(
        "[{{name: v6e-4x4, resources: [{{name: google.com/tpu, total: '{}'}}]}}]", chips));
  }
  void reserve(int chips) { queue()["status"]["flavorsReservation"] = reserved(chips); }
  static WantedWorkload queued(std::uint32_t slices = 1, const std::string& name = "train") {
    auto out = job(slices, name);
    out.queue = "tpus";
    return out;
  }
};

TEST_F(KueueQuotaTest, that_is_left_lets_it_form) {
  EXPECT_EQ(of(queued(2)).verdict, Verdict::forms);
  reserve(16);
  EXPECT_EQ(of(queued()).verdict, Verdict::forms);
}

TEST_F(KueueQuotaTest, that_is_short_is_counted_in_chips) {
  reserve(24);
  const auto outlook = of(queued());
  EXPECT_EQ(outlook.sentence, "waits for quota of Kueue");
  EXPECT_EQ(waits(outlook),
            "quota: ClusterQueue all, flavor v6e-4x4: 24 of 32 chips are reserved, the workload "
            "needs 16: short by 8 chips");
  EXPECT_EQ(help(outlook),
            "kubectl -n ml get workloads.kueue.x-k8s.io\nkubectl describe clusterqueue all\n"
            "kubectl edit clusterqueue all\n");
}

TEST_F(KueueQuotaTest, that_an_earlier_workload_gets_is_gone) {
  pool("c");
  const auto both = of({queued(1, "one"), queued(2, "two")});
  EXPECT_EQ(both[0].verdict, Verdict::forms);
  EXPECT_THAT(waits(both[1]), HasSubstr("16 of 32 chips are reserved, the workload needs 32: short "
                                        "by 16 chips"));
}

TEST_F(KueueQuotaTest, is_not_asked_for_again_by_what_runs) {
  hold("train", "a");
  reserve(32);
  EXPECT_EQ(of(queued()).verdict, Verdict::forms);
}

TEST_F(KueueQuotaTest, of_a_cohort_may_be_borrowed) {
  reserve(24);
  queue()["spec"]["cohortName"] = "labs";
  EXPECT_EQ(of(queued()).verdict, Verdict::not_known);
  EXPECT_THAT(
      of(queued()).sentence,
      HasSubstr("short by 8 chips in its own quota; whether it can borrow from cohort labs"));
  quota()["borrowingLimit"] = "4";
  EXPECT_EQ(of(queued()).verdict, Verdict::waits);
}

TEST_F(KueueQuotaTest, of_a_cohort_may_be_lent) {
  queue()["spec"]["cohort"] = "labs";
  Json other = queue();
  other["metadata"]["name"] = "others";
  other["spec"]["resourceGroups"][0]["flavors"][0]["resources"][0]["nominalQuota"] = 0;
  cluster.objects.push_back(other);
  EXPECT_EQ(of(queued()).verdict, Verdict::forms);
  cluster.objects.back()["status"]["flavorsReservation"] = reserved(24);
  EXPECT_THAT(of(queued()).sentence, HasSubstr("others of cohort labs have borrowed them"));
}

TEST_F(KueueQuotaTest, is_of_the_flavor_whose_nodes_the_pods_select) {
  object("ResourceFlavor")["spec"]["nodeLabels"]["cloud.google.com/gke-tpu-topology"] = "2x4";
  EXPECT_EQ(waits(of(queued())),
            "quota: no flavor of ClusterQueue all has nodes for the Pods (v6e-4x4: its nodes have "
            "cloud.google.com/gke-tpu-topology=2x4, the Pods select "
            "cloud.google.com/gke-tpu-topology=4x4)");
  object("ResourceFlavor")["spec"] = {
      {"nodeTaints", {{{"key", "team"}, {"value", "blue"}, {"effect", "NoSchedule"}}}}};
  EXPECT_THAT(waits(of(queued())), HasSubstr("its nodes have taint team, which the Pods do not"));
  object("ResourceFlavor")["spec"]["tolerations"] = {{{"key", "team"}, {"operator", "Exists"}}};
  EXPECT_EQ(of(queued()).verdict, Verdict::forms);
  object("ResourceFlavor")["spec"]["topologyName"] = "racks";
  EXPECT_EQ(of(queued()).verdict, Verdict::not_known);
}

TEST_F(KueueQuotaTest, needs_queues_that_are_there_and_open) {
  auto elsewhere = queued();
  elsewhere.queue = "gpus";
  EXPECT_EQ(waits(of(elsewhere)),
            "quota: queue gpus is named, but namespace ml has no LocalQueue of that name; it has "
            "tpus");
  object("LocalQueue")["spec"]["stopPolicy"] = "Hold";
  EXPECT_EQ(waits(of(queued())), "quota: LocalQueue tpus is stopped (stopPolicy: Hold)");
  object("LocalQueue")["spec"] = {{"clusterQueue", "none"}};
  EXPECT_EQ(waits(of(queued())),
            "quota: LocalQueue tpus names ClusterQueue none, which does not exist");
  object("LocalQueue")["spec"] = {{"clusterQueue", "all"}};
  queue()["status"]["conditions"] = {
      {{"type", "Active"}, {"status", "False"}, {"message", "FlavorNotFound: v6e"}}};
  EXPECT_EQ(waits(of(queued())), "quota: ClusterQueue all is not active: FlavorNotFound: v6e");
  queue()["spec"]["stopPolicy"] = "HoldAndDrain";
  EXPECT_EQ(
      help(of(queued())),
      "kubectl patch clusterqueue all --type=merge -p '{\"spec\":{\"stopPolicy\":\"None\"}}'\n");
  queue()["status"] = Json::object();
  queue()["spec"].erase("stopPolicy");
  queue()["spec"].erase("namespaceSelector");
  EXPECT_THAT(waits(of(queued())), HasSubstr("admits from no namespace"));
}

TEST_F(KueueQuotaTest, is_not_known_where_others_decide) {
  queue()["spec"]["namespaceSelector"] = {{"matchLabels", {{"team", "blue"}}}};
  queue()["spec"]["admissionChecks"] = {"capacity"};
  queue()["spec"]["queueingStrategy"] = "StrictFIFO";
  queue()["status"]["pendingWorkloads"] = 2;
  EXPECT_THAT(
      of(queued()).not_known,
      ElementsAre("quota: whether the namespaceSelector of ClusterQueue all matches namespace ml",
                  "quota: the verdict of the admission checks of ClusterQueue all (capacity)",
                  "quota: when the 2 workloads before it in ClusterQueue all (StrictFIFO) are "
                  "admitted"));
}

TEST_F(KueueQuotaTest, is_of_no_account_without_kueue) {
  cluster.objects.clear();
  pool("a");
  EXPECT_EQ(of(queued()).verdict, Verdict::waits);
  cluster.has_kueue = false;
  EXPECT_EQ(of(queued()).verdict, Verdict::forms);
}

TEST_F(KueueQuotaTest, may_leave_resources_out) {
  auto wanted = queued();
  wanted.slices.front().member["spec"]["containers"][0]["resources"]["requests"]["cpu"] = "4";
  EXPECT_THAT(of(wanted).not_known,
              ElementsAre("quota: whether Kueue leaves out cpu, which the Pods ask for and "
                          "ClusterQueue all does not cover; else it never admits them"));
  Json& group = queue()["spec"]["resourceGroups"][0];
  group["coveredResources"] = {"cpu", "google.com/tpu"};
  group["flavors"][0]["resources"].push_back({{"name", "cpu"}, {"nominalQuota", "15500m"}});
  EXPECT_EQ(waits(of(wanted)),
            "quota: ClusterQueue all, flavor v6e-4x4: 0 of 15.5 of cpu are reserved, the workload "
            "needs 16: short by 0.5 of cpu");
  group["flavors"][0]["resources"][1]["nominalQuota"] = 16;
  EXPECT_EQ(of(wanted).verdict, Verdict::forms);
}

TEST_F(KueueQuotaTest, is_not_known_where_it_was_not_read) {
  cluster.kinds = {"Node", "LocalQueue"};
  std::erase_if(cluster.objects, [](const Json& each) { return each["kind"] == "ClusterQueue"; });
  EXPECT_THAT(of(queued()).sentence, HasSubstr("quota: ClusterQueue all was not read"));
  cluster.kinds = {"Node"};
  std::erase_if(cluster.objects, [](const Json& each) { return each["kind"] == "LocalQueue"; });
  EXPECT_THAT(of(queued()).sentence, HasSubstr("quota: LocalQueue ml/tpus was not read"));
}

}  // namespace
}  // namespace tpuwh::server::outlook
