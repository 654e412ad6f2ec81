// The size of a group against the hosts of its slice, with and without the leader.
#include "webhook/validate/lws.hpp"

#include <gtest/gtest.h>

#include "tests/support/validated.hpp"

namespace tpuwh::webhook::validate {
namespace {

using namespace test;

const json tpu = a_template("4x4", 4);
// Of tpu7x, where containers may share a host.
json of_tpu7x(json pod_template, const char* topology = "2x2x4") {
  auto& selector = pod_template["spec"]["nodeSelector"];
  selector["cloud.google.com/gke-tpu-accelerator"] = "tpu7x";
  selector["cloud.google.com/gke-tpu-topology"] = topology;
  return pod_template;
}
const json tpu7x = of_tpu7x(tpu);
json two_containers(const char* topology) {
  json two = of_tpu7x(a_template("4x4", 2), topology);
  json second = two["spec"]["containers"][0];
  second["name"] = "d";
  two["spec"]["containers"].push_back(second);
  return two;
}
const json tpu_by_two = two_containers("2x2x4");
const json cpu{{"spec", {{"containers", json::array({{{"name", "l"}}})}}}};

json lws_group(const json& size, const json& worker, const json& leader = nullptr,
               const json& subgroup_size = nullptr, const char* subgroup_type = nullptr) {
  json out{{"workerTemplate", worker}};
  if (!size.is_null()) out["size"] = size;
  if (!leader.is_null()) out["leaderTemplate"] = leader;
  if (!subgroup_size.is_null()) out["subGroupPolicy"]["subGroupSize"] = subgroup_size;
  if (subgroup_type != nullptr) out["subGroupPolicy"]["subGroupPolicyType"] = subgroup_type;
  return out;
}

TEST(LwsSizes, are_held_against_the_hosts) {
  const json two_by_two = a_template("2x2", 4);
  for (const json& fine :
       {lws_group(4, tpu), lws_group(4, tpu, tpu), lws_group(1, tpu, two_by_two),
        lws_group(5, tpu, cpu), lws_group(5, tpu_by_two, of_tpu7x(two_by_two), 4, "LeaderExcluded"),
        lws_group(8, tpu, nullptr, 4), lws_group(4, a_template("2x4", 4), nullptr, 2)})
    EXPECT_TRUE(validated(an_lws(fine)).silent()) << fine;
  const auto expect_refused = [](const json& of, const char* why) {
    const auto answer = validated(an_lws(of));
    EXPECT_FALSE(answer.allowed) << of;
    EXPECT_TRUE(has(answer.message, why));
    EXPECT_TRUE(answer.warnings.empty()) << json(answer.warnings);
  };
  expect_refused(lws_group(2, tpu),
                 "worker template: a group of 2 has 2 members, but 4x4 with 4 chips per Pod has 4 "
                 "hosts");
  expect_refused(lws_group(nullptr, tpu), "a group of 1 has 1 members");
  expect_refused(lws_group(5, tpu, tpu), "a group of 5 has 5 members");
  expect_refused(lws_group(4, tpu, cpu),
                 "a group of 4 without its leader, which is not in a slice, has 3 members");
  expect_refused(lws_group(4, a_template("3x3", 4)), "worker template: topology 3x3 is 9 chips");
  const auto expect_warned = [](const json& of, const char* why) {
    const auto answer = validated(an_lws(of));
    EXPECT_TRUE(answer.allowed) << of << answer.message;
    EXPECT_TRUE(has(answer.warnings, why));
  };
  expect_warned(lws_group(1, tpu, tpu),
                "a group of 1 has 1 members, but 4x4 with 4 chips per Pod has 4 hosts");
  expect_warned(lws_group(5, tpu, two_by_two), "a group of 5 has 5 members");
  const char* const unlike =
      "the leader template has 1 TPU container of 4 chips and the worker template 2 TPU containers "
      "of 2 chips";
  expect_warned(lws_group(4, tpu_by_two, tpu7x), unlike);
  expect_warned(lws_group(2, two_containers("2x2x2"), of_tpu7x(tpu, "2x2x2")), unlike);
  expect_warned(lws_group(8, tpu_by_two, tpu7x, 4), "all members of a slice must have the same");
  expect_warned(lws_group(4, tpu, cpu, 2), "cannot be split into subgroups of 2");
  expect_warned(lws_group(4, two_by_two, nullptr, 1), "subGroupSize is 1");
}

json probed(json pod_template) {
  pod_template["spec"]["containers"][0]["readinessProbe"]["tcpSocket"]["port"] = 80;
  return pod_template;
}

TEST(LwsOrder, of_a_leader_that_is_ready_by_its_program) {
  json lws = an_lws({{"size", 4}, {"leaderTemplate", probed(tpu)}, {"workerTemplate", tpu}});
  EXPECT_TRUE(validated(lws).silent());
  lws["spec"]["startupPolicy"] = "LeaderReady";
  EXPECT_TRUE(has(validated(lws).warnings,
                  "TPU-413: worker template: startupPolicy is LeaderReady: the "
                  "workers are created when the leader is Ready, which is decided by "
                  "readinessProbe of container c, but 4x4"));
  json& group = lws["spec"]["leaderWorkerTemplate"];
  json parts = lws;
  json& policy = parts["spec"]["leaderWorkerTemplate"]["subGroupPolicy"];
  parts["spec"]["leaderWorkerTemplate"]["size"] = 8;
  policy = {{"subGroupSize", 4}, {"subGroupPolicyType", "LeaderWorker"}};
  EXPECT_TRUE(has(validated(parts).warnings, "TPU-413"));
  parts["spec"]["leaderWorkerTemplate"]["size"] = 9;
  policy["subGroupPolicyType"] = "LeaderExcluded";
  EXPECT_FALSE(has(validated(parts).warnings, "TPU-413"));
  group["leaderTemplate"] = tpu;
  group["workerTemplate"] = probed(tpu);
  EXPECT_TRUE(validated(lws).silent()) << json(validated(lws).warnings);
}

TEST(LwsTemplates, that_its_stateful_sets_refuse) {
  json pod_template = tpu;
  pod_template["spec"]["restartPolicy"] = "Never";
  const auto answer = validated(an_lws({{"size", 4}, {"workerTemplate", pod_template}}));
  EXPECT_TRUE(has(answer.message,
                  "TPU-412: worker template: restartPolicy is Never, and Pods of a "
                  "StatefulSet need Always"));
  pod_template["spec"]["restartPolicy"] = "Always";
  EXPECT_TRUE(validated(an_lws({{"size", 4}, {"workerTemplate", pod_template}})).silent());
}

}  // namespace
}  // namespace tpuwh::webhook::validate
