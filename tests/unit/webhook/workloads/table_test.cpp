#include "webhook/workloads/table.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <string_view>

#include "tests/support/identified.hpp"

namespace tpuwh::webhook::workloads {
namespace {

using namespace test;

TEST(WorkloadOf, is_the_first_that_claims_the_pod) {
  const auto of = [](const PodBuilder& pod) { return Identified(pod).workload.name; };
  const auto jobset = [] { return a_pod().jobset("s", "r", 1, 0, 0); };
  const auto ray = [] { return a_pod().ray("c", "g", 0, 0); };
  EXPECT_EQ(of(a_pod()), "pod");
  EXPECT_EQ(of(a_pod().job("t", 0)), "job");
  EXPECT_EQ(of(jobset()), "jobset") << "a Job, too";
  EXPECT_EQ(of(ray()), "ray");
  EXPECT_EQ(of(jobset()
                   .label("ray.io/node-type", "worker")
                   .label("ray.io/cluster", "c")
                   .label("ray.io/group", "g")),
            "ray");
  EXPECT_EQ(of(ray().label("ray.io/node-type", "head")), "pod");
  EXPECT_EQ(of(ray().label("ray.io/group", "")), "pod");
  EXPECT_EQ(of(ray().label("ray.io/cluster", nullptr)), "pod");
  EXPECT_EQ(of(jobset().label("jobset.sigs.k8s.io/jobset-name", "")), "job");
  EXPECT_EQ(of(a_pod().owner("Job", "t", "u")), "job");
  EXPECT_EQ(of(a_pod().label("batch.kubernetes.io/job-name", "t")), "job");
  EXPECT_EQ(of(a_pod().label("job-name", "t")), "job");
  EXPECT_EQ(of(a_pod().owner("ReplicaSet", "d-5d8", "u")), "pod");
  EXPECT_EQ(of(a_pod().owner("StatefulSet", "s", "u")), "statefulset");
  EXPECT_EQ(of(a_pod().lws("vllm", 0, 1, 4)), "lws");
}

TEST(Table, its_last_claims_every_pod) {
  std::set<std::string_view> names;
  for (const Workload& workload : workloads()) EXPECT_TRUE(names.insert(workload.name).second);
  const ReadPod empty(a_pod());
  EXPECT_TRUE(workloads().back().claims(empty.pod));
}

TEST(Table, has_a_row_for_each_kind_and_name) {
  for (const Workload& workload : workloads()) {
    EXPECT_EQ(&row_of(workload.kind), &workload);
    EXPECT_EQ(&row_of(workload.name), &workload);
  }
  EXPECT_EQ(workloads().size(), config::workload_kinds);
  EXPECT_EQ(row_of("none").name, "pod");
}

TEST(Table, finds_an_object_by_group_and_kind) {
  const auto found = find_object("batch", "CronJob");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->workload->name, "job");
  EXPECT_EQ(found->object->resource, "cronjobs");
  EXPECT_FALSE(find_object("apps", "CronJob"));
  EXPECT_TRUE(is_checked("StatefulSet"));
  EXPECT_FALSE(is_checked("ReplicaSet"));
}

TEST(Table, has_a_name_label_where_the_group_has_a_kind) {
  for (const Workload& workload : workloads())
    EXPECT_EQ(workload.name_label.empty(), workload.group_kind.empty()) << workload.name;
}

TEST(Filled, puts_name_part_and_index_into_a_pattern) {
  EXPECT_EQ(filled("{name}-{part}-{index}", "n", "p", "3"), "n-p-3");
  EXPECT_EQ(filled("plain", "n", "p", "3"), "plain");
  EXPECT_EQ(filled("", "n", "p", "3"), "");
  EXPECT_EQ(filled("{name}.{name", "n", "p", "3"), "n.");
}

TEST(HostNamesTest, total_size_is_the_length_of_all) {
  HostNames statefulset{.stem = "web"};
  statefulset.numbered = true;
  HostNames lws{.stem = "vllm", .stem2 = "12"};
  lws.numbered = lws.bare_first = true;
  HostNames lws_workers = lws;
  lws_workers.first = 1;
  for (HostNames names :
       {HostNames{.stem = "job"}, HostNames{.stem = "set", .stem2 = "part", .with_slice = true},
        HostNames{.stem = "group", .with_slice = true}, statefulset, lws, lws_workers})
    for (const std::uint32_t slice : {0u, 1u, 9u, 10u, 1000u})
      for (const std::uint32_t hosts : {1u, 2u, 9u, 10u, 11u, 1000u, 1001u}) {
        names.stride = hosts;
        base::Buffer out;
        for (std::uint32_t host = 0; host < hosts; ++host) names.append(out, slice, host);
        EXPECT_EQ(names.total_size(slice, hosts), out.size()) << out.view().substr(0, 80);
      }
}

}  // namespace
}  // namespace tpuwh::webhook::workloads
