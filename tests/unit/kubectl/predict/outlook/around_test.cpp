// Services and gates.
#include "tests/unit/kubectl/predict/outlook/a_cluster.hpp"

#include <gmock/gmock.h>

namespace tpuwh::server::outlook {
namespace {

using testing::HasSubstr;

Json service(bool headless) {
  return test::yaml(fmt::format(
      "{{kind: Service, metadata: {{name: train, namespace: ml}}, spec: {{clusterIP: {}}}}}",
      headless ? "None" : "10.0.0.1"));
}

TEST_F(OutlookTest, wants_a_headless_service) {
  pool("a");
  auto wanted = job();
  wanted.services = {"train"};
  auto outlook = of(wanted);
  EXPECT_EQ(outlook.sentence, "waits for a headless Service");
  EXPECT_EQ(waits(outlook),
            "service: the Pods name Service train as their subdomain, and namespace ml has none of "
            "that name; without a headless one (clusterIP: None) no host resolves");
  EXPECT_THAT(help(outlook), HasSubstr("    batch.kubernetes.io/job-name: train\n"));
  cluster.objects.push_back(service(false));
  outlook = of(wanted);
  EXPECT_THAT(waits(outlook),
              HasSubstr("ml/train, which the Pods name as their subdomain, is not"));
  EXPECT_EQ(help(outlook), "kubectl -n ml get service train\n");
  cluster.objects.back() = service(true);
  EXPECT_EQ(of(wanted).verdict, Verdict::forms);
  cluster.objects.pop_back();
  cluster.kinds.erase("Service");
  EXPECT_EQ(of(wanted).verdict, Verdict::not_known);
}

TEST_F(OutlookTest, counts_what_is_applied_together_with_it) {
  pool("a");
  auto wanted = job();
  wanted.services = {"train"};
  wanted.queue = "tpus";
  ClusterState planned = state();
  Json unnamed = service(true);
  unnamed["metadata"].erase("namespace");
  add_planned(planned, unnamed, "ml");
  add_planned(planned,
              test::yaml("{kind: LocalQueue, metadata: {name: tpus}, spec: {clusterQueue: none}}"),
              "ml");
  const auto outlook = look_out(planned, std::vector{wanted}).front();
  EXPECT_EQ(waits(outlook), "quota: LocalQueue tpus names ClusterQueue none, which does not exist");
  // What is there already stays.
  cluster.objects.push_back(service(false));
  planned = state();
  add_planned(planned, unnamed, "ml");
  EXPECT_THAT(waits(look_out(planned, std::vector{wanted}).front()), HasSubstr("is not headless"));
}

TEST_F(OutlookTest, names_gates_but_those_of_kueue) {
  pool("a");
  auto wanted = job(2);
  for (WantedSlice& each : wanted.slices)
    each.member["spec"]["schedulingGates"] = {{{"name", "example.com/wait"}},
                                              {{"name", "kueue.x-k8s.io/admission"}}};
  const auto outlook = of(wanted);
  EXPECT_EQ(waits(outlook),
            "no_pool: slice 1 of 2: no node pool of tpu-v6e-slice 4x4 is left: a goes to Job "
            "ml/train, slice 0 of 2\ngate: the Pods have scheduling gate example.com/wait: "
            "whoever set it must remove it");
  EXPECT_THAT(help(outlook),
              HasSubstr("kubectl -n ml get pods -l batch.kubernetes.io/job-name=train -o name | "
                        "xargs -I POD kubectl -n ml patch POD -p '{\"spec\":{\"schedulingGates\":"
                        "[{\"$patch\":\"delete\",\"name\":\"example.com/wait\"}]}}'"));
}

}  // namespace
}  // namespace tpuwh::server::outlook
