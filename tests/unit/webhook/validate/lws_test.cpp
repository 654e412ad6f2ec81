// The size of a group against the hosts of its slice, with and without the leader.
#include "webhook/validate/lws.hpp"

#include <gtest/gtest.h>

#include "tests/support/named_case.hpp"
#include "tests/support/validated.hpp"

namespace tpuwh::webhook::validate {
namespace {

using test::a_template;
using test::an_lws;
using test::case_name;
using test::json;
using test::PrintTo;
using test::validated;

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

struct Group {
  std::string_view name;
  json group;
  const char* refused;  // "" where it is allowed
  const char* warned;   // likewise in silence
};

class LwsSizes : public testing::TestWithParam<Group> {};

TEST_P(LwsSizes, are_held_against_the_hosts) {
  const auto answer = validated(an_lws(GetParam().group));
  EXPECT_EQ(answer.allowed, *GetParam().refused == '\0') << answer.message;
  EXPECT_NE(answer.message.find(GetParam().refused), std::string::npos) << answer.message;
  EXPECT_EQ(answer.warnings.empty(), *GetParam().warned == '\0') << json(answer.warnings);
  if (*GetParam().warned != '\0') {
    EXPECT_NE(answer.warning(GetParam().warned), "") << json(answer.warnings);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Validate, LwsSizes,
    testing::Values(
        Group{"one_template", {{"size", 4}, {"workerTemplate", tpu}}, "", ""},
        Group{"one_template_few",
              {{"size", 2}, {"workerTemplate", tpu}},
              "worker template: a group of 2 has 2 members, but 4x4 with 4 chips per Pod has 4 "
              "hosts",
              ""},
        Group{"no_size", {{"workerTemplate", tpu}}, "a group of 1 has 1 members", ""},
        Group{"leader_with_tpu",
              {{"size", 4}, {"leaderTemplate", tpu}, {"workerTemplate", tpu}},
              "",
              ""},
        Group{"leader_with_tpu_many",
              {{"size", 5}, {"leaderTemplate", tpu}, {"workerTemplate", tpu}},
              "a group of 5 has 5 members",
              ""},
        Group{"leader_without_workers",
              {{"size", 1}, {"leaderTemplate", tpu}, {"workerTemplate", tpu}},
              "",
              "a group of 1 has 1 members, but 4x4 with 4 chips per Pod has 4 hosts"},
        Group{"leader_without_workers_of_one_host",
              {{"size", 1}, {"leaderTemplate", a_template("2x2", 4)}, {"workerTemplate", tpu}},
              "",
              ""},
        Group{"leader_without_tpu",
              {{"size", 5}, {"leaderTemplate", cpu}, {"workerTemplate", tpu}},
              "",
              ""},
        Group{"leader_without_tpu_few",
              {{"size", 4}, {"leaderTemplate", cpu}, {"workerTemplate", tpu}},
              "a group of 4 without its leader, which is not in a slice, has 3 members",
              ""},
        Group{"leader_of_another_shape",
              {{"size", 5}, {"leaderTemplate", a_template("2x2", 4)}, {"workerTemplate", tpu}},
              "",
              "a group of 5 has 5 members"},
        Group{"leader_with_other_tpu_containers",
              {{"size", 4}, {"leaderTemplate", tpu7x}, {"workerTemplate", tpu_by_two}},
              "",
              "the leader template has 1 TPU container of 4 chips and the worker template 2 TPU "
              "containers of 2 chips"},
        Group{"leader_with_other_tpu_containers_of_two_hosts",
              {{"size", 2},
               {"leaderTemplate", of_tpu7x(tpu, "2x2x2")},
               {"workerTemplate", two_containers("2x2x2")}},
              "",
              "the leader template has 1 TPU container of 4 chips and the worker template 2 TPU "
              "containers of 2 chips"},
        Group{"leader_with_other_tpu_containers_in_a_subgroup",
              {{"size", 8},
               {"subGroupPolicy", {{"subGroupSize", 4}}},
               {"leaderTemplate", tpu7x},
               {"workerTemplate", tpu_by_two}},
              "",
              "all members of a slice must have the same"},
        Group{"leader_excluded",
              {{"size", 5},
               {"subGroupPolicy", {{"subGroupSize", 4}, {"subGroupPolicyType", "LeaderExcluded"}}},
               {"leaderTemplate", of_tpu7x(a_template("2x2", 4))},
               {"workerTemplate", tpu_by_two}},
              "",
              ""},
        Group{"subgroups",
              {{"size", 8}, {"subGroupPolicy", {{"subGroupSize", 4}}}, {"workerTemplate", tpu}},
              "",
              ""},
        Group{"unequal_subgroups",
              {{"size", 4},
               {"subGroupPolicy", {{"subGroupSize", 2}}},
               {"leaderTemplate", cpu},
               {"workerTemplate", tpu}},
              "",
              "cannot be split into subgroups of 2"},
        Group{"subgroups_of_one",
              {{"size", 4},
               {"subGroupPolicy", {{"subGroupSize", 1}}},
               {"workerTemplate", a_template("2x2", 4)}},
              "",
              "subGroupSize is 1"},
        Group{"subgroups_of_two",
              {{"size", 4},
               {"subGroupPolicy", {{"subGroupSize", 2}}},
               {"workerTemplate", a_template("2x4", 4)}},
              "",
              ""},
        Group{"no_division",
              {{"size", 4}, {"workerTemplate", a_template("3x3", 4)}},
              "worker template: topology 3x3 is 9 chips",
              ""}),
    case_name);

json probed(json pod_template) {
  pod_template["spec"]["containers"][0]["readinessProbe"]["tcpSocket"]["port"] = 80;
  return pod_template;
}

TEST(LwsOrder, of_a_leader_that_is_ready_by_its_program) {
  json lws = an_lws({{"size", 4}, {"leaderTemplate", probed(tpu)}, {"workerTemplate", tpu}});
  EXPECT_TRUE(validated(lws).silent());
  lws["spec"]["startupPolicy"] = "LeaderReady";
  EXPECT_NE(
      validated(lws).warning("TPU-413: worker template: startupPolicy is LeaderReady: the "
                             "workers are created when the leader is Ready, which is decided by "
                             "readinessProbe of container c, but 4x4"),
      "")
      << json(validated(lws).warnings);
  json& group = lws["spec"]["leaderWorkerTemplate"];
  json parts = lws;
  json& policy = parts["spec"]["leaderWorkerTemplate"]["subGroupPolicy"];
  parts["spec"]["leaderWorkerTemplate"]["size"] = 8;
  policy = {{"subGroupSize", 4}, {"subGroupPolicyType", "LeaderWorker"}};
  EXPECT_NE(validated(parts).warning("TPU-413"), "") << json(validated(parts).warnings);
  parts["spec"]["leaderWorkerTemplate"]["size"] = 9;
  policy["subGroupPolicyType"] = "LeaderExcluded";
  EXPECT_EQ(validated(parts).warning("TPU-413"), "");
  group["leaderTemplate"] = tpu;
  group["workerTemplate"] = probed(tpu);
  EXPECT_TRUE(validated(lws).silent()) << json(validated(lws).warnings);
}

TEST(LwsTemplates, that_its_stateful_sets_refuse) {
  json pod_template = tpu;
  pod_template["spec"]["restartPolicy"] = "Never";
  const auto answer = validated(an_lws({{"size", 4}, {"workerTemplate", pod_template}}));
  EXPECT_NE(answer.message.find("TPU-412: worker template: restartPolicy is Never, and Pods of a "
                                "StatefulSet need Always"),
            std::string::npos)
      << answer.message;
  pod_template["spec"]["restartPolicy"] = "Always";
  EXPECT_TRUE(validated(an_lws({{"size", 4}, {"workerTemplate", pod_template}})).silent());
}

}  // namespace
}  // namespace tpuwh::webhook::validate
