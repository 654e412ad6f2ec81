// What another implementation missed: docs/facts.md#kuberay-validation.
#include "webhook/validate/ray.hpp"

#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <map>
#include <string>

#include "tests/support/validated.hpp"

namespace tpuwh::webhook::validate {
namespace {

using namespace test;

json cluster(const json& group) {
  return a_ray_cluster(list({group}));
}

const json good = a_template("4x4", 4);

TEST(ValidateRay, what_works_is_allowed_in_silence) {
  for (const json& group :
       {a_group("w", 4, good), a_group("w", nullptr, a_template("2x2", 4)),
        a_group("w", 1, a_template("2x4", "8")), a_group("cpu", 3, json::object())}) {
    const auto answer = validated(cluster(group));
    EXPECT_TRUE(answer.silent()) << group << answer.message << json(answer.warnings);
    EXPECT_EQ(answer.reason, Reason::checked);
    EXPECT_EQ(answer.owner, "RayCluster/ray");
  }
}

TEST(ValidateRay, names_every_group_and_its_numbers) {
  const auto answer = validated(a_ray_cluster(
      list({a_group("whole", 4, good), a_group("few", 2, good), a_group("many", 8, good),
            a_group("none", nullptr, good), a_group("odd", 2, a_template("3x3", 4))})));
  EXPECT_EQ(answer.outcome, Outcome::denied);
  EXPECT_EQ(
      answer.message,
      "slices of RayCluster ray could never start: "
      "(1) TPU-401: worker group few: numOfHosts is 2, but 4x4 with 4 chips per Pod has 4 hosts "
      "(16 / 4); "
      "(2) TPU-401: worker group many: numOfHosts is 8, but 4x4 with 4 chips per Pod has 4 hosts "
      "(16 / 4); "
      "(3) TPU-401: worker group none: numOfHosts is missing, which means 1, but 4x4 with 4 chips "
      "per "
      "Pod has 4 hosts (16 / 4); "
      "(4) TPU-103: worker group odd: topology 3x3 is 9 chips and cannot be split over Pods of 4 "
      "chips; with 4 chips per node tpu-v6e-slice supports 2x2, 2x4, 4x4, 4x8, 8x8, 8x16, "
      "16x16");
}

TEST(ValidateRay, refuses_what_is_no_number_of_chips) {
  const auto answer = validated(
      a_ray_cluster(list({a_group("half", 4, a_template("4x4", "2.5")), a_group("few", 2, good)})));
  EXPECT_FALSE(answer.allowed);
  EXPECT_TRUE(has(answer.message, "worker group half: spec.containers[0].resources.limits"));
  EXPECT_TRUE(has(answer.message, "worker group few"));
}

TEST(ValidateRay, refuses_two_groups_of_one_name) {
  const auto answer =
      validated(a_ray_cluster(list({a_group("w", 4, good), a_group("w", 4, good),
                                    a_group("w", 4, good), a_group("v", 4, good)})));
  EXPECT_EQ(answer.message,
            "slices of RayCluster ray could never start: TPU-402: two worker groups are named w, "
            "and Pods "
            "are distinguished by their group's name");
}

TEST(ValidateRay, names_every_name_that_stands_twice_in_the_order_of_the_list) {
  const auto answer = validated(
      a_ray_cluster(list({a_group("z", 4, good), a_group("a", 4, good), a_group("b", 4, good),
                          a_group("z", 4, good), a_group("a", 4, good), a_group("z", 4, good)})));
  const std::size_t z = answer.message.find("are named z"), a = answer.message.find("are named a");
  ASSERT_NE(z, std::string::npos) << answer.message;
  ASSERT_NE(a, std::string::npos) << answer.message;
  EXPECT_LT(z, a);
  EXPECT_FALSE(has(answer.message, "are named b"));
  EXPECT_EQ(answer.message.find("are named z", z + 1), std::string::npos) << answer.message;
}

TEST(ValidateRay, names_what_stands_three_times_once) {
  const auto answer = validated(
      a_ray_cluster(list({a_group("a", 4, good), a_group("a", 4, good), a_group("a", 4, good)})));
  const std::size_t once = answer.message.find("are named a");
  ASSERT_NE(once, std::string::npos) << answer.message;
  EXPECT_EQ(answer.message.find("are named a", once + 1), std::string::npos) << answer.message;
}

// Two of so many have half a hash in common.
std::array<std::string, 2> two_names_of_half_a_hash() {
  std::map<std::uint64_t, std::string> seen;
  for (unsigned i = 0;; ++i) {
    const std::string name = "w-" + std::to_string(i);
    const auto [at, anew] =
        seen.try_emplace(std::hash<std::string_view>()(name) & 0xffffffff, name);
    if (!anew) return {at->second, name};
  }
}

TEST(ValidateRay, tells_names_of_one_hash_apart) {
  const auto [one, other] = two_names_of_half_a_hash();
  EXPECT_EQ(
      validated(a_ray_cluster(list({a_group(one, 4, good), a_group(other, 4, good)}))).message, "");
  const auto answer = validated(
      a_ray_cluster(list({a_group(one, 4, good), a_group(other, 4, good), a_group(one, 4, good)})));
  EXPECT_TRUE(has(answer.message, "are named " + one + ","));
  EXPECT_FALSE(has(answer.message, "are named " + other + ","));
}

TEST(ValidateRay, warns_of_what_is_doubtful) {
  struct {
    json group;
    const char* warning;
  } cases[] = {
      {a_group("w", 4, a_template("4x4", 0)),
       "TPU-114: worker group w: the template selects TPU nodes "
       "(cloud.google.com/gke-tpu-accelerator), but no container asks for google.com/tpu"},
      {a_group("w", 4, a_template("", 4)),
       "TPU-105: worker group w: no single TPU topology is selected"},
      {a_group("w", 2, a_template("2x2", 4)), "TPU-401: worker group w: numOfHosts is 2"},
      {a_group("w", 2, a_template("4x4", 8)),
       "TPU-108: worker group w: the Pod asks for 8 chips, but nodes of tpu-v6e-slice with "
       "topology "
       "4x4 have 4"},
  };
  for (const auto& each : cases) {
    const auto answer = validated(cluster(each.group));
    EXPECT_TRUE(answer.allowed) << each.group << answer.message;
    EXPECT_TRUE(has(answer.warnings, each.warning)) << each.group << json(answer.warnings);
  }
}

TEST(ValidateRay, who_knows_better_is_not_refused_by_the_size) {
  const json wrong = cluster(a_group("w", 2, good));
  const std::string pod = "/spec/workerGroupSpecs/0/template";
  struct {
    const char* pointer;
    json value;
  } cases[] = {
      {"/spec/workerGroupSpecs/0/template/metadata/annotations",
       {{"cloud.google.com/gke-tpu-slice-topology", "4x4"},
        {"kueue.x-k8s.io/podset-required-topology", "a/b"}}},
      {"/spec/workerGroupSpecs/0/template/metadata/annotations",
       {{"tpu-webhook.dev/slice-id", "0"}}},
      {"/spec/workerGroupSpecs/0/template/spec/containers/0/env",
       {{{"name", "TPU_WORKER_HOSTNAMES"}, {"value", "a,b"}}}},
  };
  EXPECT_FALSE(validated(wrong).allowed);
  for (const auto& each : cases) {
    json object = wrong;
    object[json::json_pointer(each.pointer)] = each.value;
    const auto answer = validated(object);
    EXPECT_TRUE(answer.allowed) << each.pointer << answer.message;
    EXPECT_TRUE(has(answer.warnings, "numOfHosts is 2")) << each.pointer << json(answer.warnings);
  }
  json left_alone = wrong;
  left_alone[json::json_pointer(pod + "/metadata/annotations")] = {
      {"tpu-webhook.dev/inject", "false"}};
  EXPECT_TRUE(validated(left_alone).silent());
}

// Kueue changes no number of a RayCluster's Pods; a flavor may select what a template leaves open.
TEST(ValidateRay, a_queue_says_nothing_of_the_size) {
  json wrong = cluster(a_group("w", 2, good));
  json& pod_template = wrong["spec"]["workerGroupSpecs"][0]["template"];
  const json queue = {{"kueue.x-k8s.io/queue-name", "q"}};
  for (json* labels : {&wrong["metadata"]["labels"], &pod_template["metadata"]["labels"]}) {
    *labels = queue;
    EXPECT_FALSE(validated(wrong).allowed);
    const json selector = pod_template["spec"]["nodeSelector"];
    pod_template["spec"]["nodeSelector"].erase("cloud.google.com/gke-tpu-accelerator");
    EXPECT_TRUE(
        has(validated(wrong).warnings, "allowed, because the flavor of its Kueue queue selects"))
        << validated(wrong).message;
    *labels = json::object();
    EXPECT_FALSE(validated(wrong).allowed);
    pod_template["spec"]["nodeSelector"] = selector;
  }
}

TEST(ValidateRay, a_later_replica_is_no_fault) {
  json group = a_group("w", 4, good);
  group["replicas"] = 4;
  group["template"]["spec"]["containers"][0]["env"] =
      list({{{"name", "MEGASCALE_NUM_SLICES"}, {"value", "2"}}});
  const auto answer = validated(cluster(group));
  EXPECT_TRUE(answer.allowed) << answer.message;
  EXPECT_TRUE(has(answer.warnings, "Pods of replica 3 are refused"));
}

TEST(ValidateRay, a_second_replica_is_a_later_one) {
  json group = a_group("w", 4, good);
  group["replicas"] = 2;
  group["template"]["spec"]["containers"][0]["env"] =
      list({{{"name", "MEGASCALE_NUM_SLICES"}, {"value", "1"}}});
  const auto answer = validated(cluster(group));
  EXPECT_TRUE(has(answer.warnings, "Pods of replica 1 are refused"));
}

TEST(ValidateRay, counts_the_replicas_that_kuberay_makes) {
  struct {
    json replicas, least, most;
    bool autoscaled;
    std::string warning;  // "" for none
  } cases[] = {
      {nullptr, nullptr, nullptr, false, ""},  // absent is 0
      {0, 3, 4, false, "Pods of replica 2 are refused"},
      {9, 0, 2, false, ""},  // never more than maxReplicas
      {2, 2, 4, true, "the autoscaler may make replica 3, whose Pods are refused"},
      {2, 2, 4, false, ""},
      {3, 2, 4, true, "Pods of replica 2 are refused"},
      {2, 0, nullptr, true, ""},  // without a bound nobody knows
  };
  for (const auto& each : cases) {
    json group = a_group("w", 4, good);
    group["replicas"] = each.replicas;
    group["minReplicas"] = each.least;
    group["maxReplicas"] = each.most;
    group["template"]["spec"]["containers"][0]["env"] =
        list({{{"name", "MEGASCALE_NUM_SLICES"}, {"value", "2"}}});
    json object = cluster(group);
    object["spec"]["enableInTreeAutoscaling"] = each.autoscaled;
    const auto answer = validated(object);
    EXPECT_EQ(answer.warning("TPU-403").empty(), each.warning.empty()) << group;
    EXPECT_TRUE(each.warning.empty() || !answer.warning(each.warning).empty()) << group;
  }
}

TEST(ValidateRay, counts_a_second_replica_that_the_autoscaler_may_make) {
  json group = a_group("w", 4, good);
  group["replicas"] = 1;
  group["maxReplicas"] = 2;
  group["template"]["spec"]["containers"][0]["env"] =
      list({{{"name", "MEGASCALE_NUM_SLICES"}, {"value", "1"}}});
  json object = cluster(group);
  object["spec"]["enableInTreeAutoscaling"] = true;
  EXPECT_TRUE(
      has(validated(object).warnings, "the autoscaler may make replica 1, whose Pods are refused"));
}

TEST(ValidateRay, names_that_newer_kuberay_refuses_are_a_warning) {
  json object = cluster(a_group("w", 4, good));
  object["metadata"]["name"] = "4b";
  EXPECT_TRUE(validated(object).warning("the name 4b").starts_with("TPU-412: KubeRay 1.4 and "));
  EXPECT_TRUE(validated(object).allowed);
  object["spec"]["workerGroupSpecs"] = list({a_group("cpu", 3, json::object())});
  EXPECT_TRUE(validated(object).silent()) << "no TPU, so no business of ours";
  object["metadata"]["name"] = std::string(53, 'a');
  EXPECT_FALSE(has(validated(object).warnings, "KubeRay 1.4"));
}

TEST(ValidateRay, bounds_that_newer_kuberay_refuses_are_a_warning) {
  json group = a_group("w", 4, good);
  group["minReplicas"] = 3;
  group["maxReplicas"] = 2;
  const auto answer = validated(cluster(group));
  EXPECT_TRUE(has(answer.warnings, "TPU-412: worker group w: KubeRay 1.6 and later refuse it"));
  EXPECT_TRUE(answer.allowed);
  group["maxReplicas"] = 3;
  EXPECT_FALSE(has(validated(cluster(group)).warnings, "KubeRay 1.6"));
}

// What one group says of its hosts is not said of the next.
TEST(ValidateRay, a_group_is_judged_alike_whatever_stands_before_it) {
  json by_class = a_template("", 4);
  by_class["spec"]["nodeSelector"] = {{"cloud.google.com/compute-class", "tpus"}};
  const json first = a_group("first", 4, by_class), second = a_group("second", nullptr, by_class);
  const auto of_second = [](const Validated& answer) {
    std::vector<std::string> out;
    for (const std::string& each : answer.warnings)
      if (each.find("second") != std::string::npos) out.push_back(each);
    return out;
  };
  EXPECT_EQ(of_second(validated(a_ray_cluster(list({first, second})))),
            of_second(validated(cluster(second))));
}

TEST(ValidateRay, twenty_warnings_are_told_and_the_rest_counted) {
  std::vector<json> groups;
  for (int i = 0; i < 20; ++i) {
    groups.push_back(a_group("w" + std::to_string(i), 4, good));
    groups.back().update({{"minReplicas", 3}, {"maxReplicas", 2}});
  }
  EXPECT_EQ(validated(a_ray_cluster(groups)).warnings.size(), 20u);
  groups.push_back(groups.back());
  groups.back()["groupName"] = "last";
  const auto answer = validated(a_ray_cluster(groups));
  ASSERT_EQ(answer.warnings.size(), 21u);
  EXPECT_EQ(answer.warnings.back(), "and 1 more warning");
}

TEST(ValidateRay, slices_pinned_to_one_pool) {
  json group = a_group("w", 4, good);
  group["replicas"] = 2;
  group["template"]["spec"]["nodeSelector"]["cloud.google.com/gke-nodepool"] = "p";
  EXPECT_TRUE(has(validated(cluster(group)).warnings, "TPU-604: 2 slices select node pool p"));
  group["replicas"] = 1;
  EXPECT_TRUE(validated(cluster(group)).silent());
}

TEST(ValidateRay, two_containers_before_tpu7x_are_no_matter_of_hosts) {
  json group = a_group("w", 4, a_template("4x4", 4));
  json second = group["template"]["spec"]["containers"][0];
  second["name"] = "exporter";
  group["template"]["spec"]["containers"].push_back(second);
  const auto answer = validated(cluster(group));
  EXPECT_TRUE(answer.allowed) << answer.message;
  EXPECT_TRUE(has(answer.warnings, "TPU-109: worker group w: 2 containers of this Pod ask for"));
}

TEST(ValidateRay, names_that_dns_cannot_hold_are_refused) {
  const auto answer = validated(cluster(a_group(std::string(60, 'w'), 4, good)));
  EXPECT_TRUE(has(answer.message, "a DNS label has at most 63"));
}

TEST(ValidateRay, looks_into_ray_job_and_ray_service) {
  const json spec = cluster(a_group("w", 2, good))["spec"];
  json job{{"apiVersion", "ray.io/v1"},
           {"kind", "RayJob"},
           {"metadata", {{"generateName", "tune-"}}},
           {"spec", {{"rayClusterSpec", spec}}}};
  EXPECT_TRUE(
      has(validated(job).message, "RayJob tune-xxxxx could never start: TPU-401: worker group w"));
  json in_time = job;
  in_time["spec"] = {{"activeDeadlineSeconds", 60},
                     {"rayClusterSpec", cluster(a_group("w", 4, good))["spec"]}};
  EXPECT_TRUE(validated(in_time).silent()) << validated(in_time).message;
  json service = job;
  service["kind"] = "RayService";
  service["spec"] = {{"rayClusterConfig", spec}};
  EXPECT_FALSE(validated(service).allowed);
  job["spec"] = {{"clusterSelector", {{"a", "b"}}}};  // runs on a cluster that exists
  EXPECT_TRUE(validated(job).silent());
}

TEST(ValidateRay, a_head_is_looked_at_too) {
  json object = cluster(a_group("w", 4, good));
  object["spec"]["headGroupSpec"]["template"] = a_template("3x3", 4);
  EXPECT_TRUE(has(validated(object).message, "head group: topology 3x3"));
}

}  // namespace
}  // namespace tpuwh::webhook::validate
