// Which objects are looked at, updates, modes; and that a template and its Pods are told
// the same.
#include "webhook/validate/validate.hpp"

#include <gtest/gtest.h>

#include "tests/support/admitted.hpp"
#include "tests/support/json_text.hpp"
#include "tests/support/validated.hpp"
#include "webhook/validate/checker.hpp"

namespace tpuwh::webhook::validate {
namespace {

using namespace test;

json cluster(const char* name, int hosts) {
  return a_ray_cluster(list({a_group(name, hosts, a_template("4x4", 4))}));
}

const json wrong = cluster("w", 2);

// ---- what is looked at

TEST(Validate, passes_over_what_it_does_not_know) {
  EXPECT_FALSE(validated(wrong).allowed);
  for (const char* operation : {"DELETE", "CONNECT"})
    EXPECT_TRUE(validated(wrong, {.operation = operation}).silent()) << operation;
  EXPECT_TRUE(validated(wrong, {.sub_resource = "status"}).silent());
  json other = wrong;
  other["apiVersion"] = "example.com/v1";
  EXPECT_TRUE(validated(other).silent());
  other = wrong;
  other["kind"] = "RayCronJob";
  EXPECT_TRUE(validated(other).silent());
  EXPECT_EQ(validated(other).reason, Reason::not_a_pod);
}

TEST(Validate, answers_objects_with_anything_missing) {
  for (const char* kind :
       {"RayCluster", "RayJob", "RayService", "JobSet", "Job", "LeaderWorkerSet"}) {
    for (const json& spec :
         {json(), json::object(), json{{"workerGroupSpecs", nullptr}},
          json{{"replicatedJobs", json::array()}}, json{{"leaderWorkerTemplate", nullptr}},
          json{{"template", nullptr}}}) {
      const std::string name = kind;
      const json object{{"apiVersion", name.starts_with("Ray") ? "ray.io/v1"
                                       : name == "JobSet"      ? "jobset.x-k8s.io/v1alpha2"
                                       : name == "Job"         ? "batch/v1"
                                                               : "leaderworkerset.x-k8s.io/v1"},
                        {"kind", kind},
                        {"metadata", {{"name", "x"}}},
                        {"spec", spec}};
      EXPECT_TRUE(validated(object).silent()) << object;
    }
  }
}

TEST(Validate, what_cannot_be_read_is_no_decision) {
  json object = wrong;
  object["spec"]["workerGroupSpecs"][0]["numOfHosts"] = "2";
  EXPECT_EQ(validated(object).status, 400u);
  EXPECT_TRUE(has(validated(object).message, "request.object.spec.workerGroupSpecs[0].numOfHosts"));
  object = wrong;
  object["spec"]["workerGroupSpecs"][0]["template"]["spec"]["containers"][0]["name"] = 5;
  EXPECT_TRUE(has(validated(object).message,
                  "request.object.spec.workerGroupSpecs[0].template.spec.containers[0].name"));
}

TEST(Validate, an_api_that_is_switched_off_is_left_alone) {
  config::Config config;
  config.workloads = {config::WorkloadKind::job};
  EXPECT_TRUE(validated(wrong, {.config = config}).silent());
  EXPECT_EQ(validated(wrong, {.config = config}).reason, Reason::switched_off);
}

TEST(Validate, shadow_warns_and_allows) {
  config::Config config;
  config.of(config::WorkloadKind::ray).mode = config::Mode::shadow;
  for (const config::Config& how : {config, config::Config().in_shadow()}) {
    const auto answer = validated(wrong, {.config = how});
    EXPECT_TRUE(answer.allowed);
    EXPECT_EQ(answer.outcome, Outcome::denied);
    EXPECT_TRUE(
        has(answer.warnings, "shadow mode: it would have been denied: slices of RayCluster ray"));
  }
}

// ---- objects that are there already

TEST(Validate, what_was_wrong_before_keeps_nobody_from_an_update) {
  json after = wrong;
  after["metadata"]["finalizers"] = list({"x"});
  const auto answer = validated(after, {.operation = "UPDATE", .old_object = wrong});
  EXPECT_TRUE(answer.allowed) << answer.message;
  EXPECT_TRUE(
      has(answer.warnings,
          "allowed, because the object was already like this: worker group w: numOfHosts is 2"));
}

TEST(Validate, an_update_that_makes_it_wrong_is_refused) {
  const json right = cluster("w", 4);
  EXPECT_FALSE(validated(wrong, {.operation = "UPDATE", .old_object = right}).allowed);
  EXPECT_TRUE(validated(right, {.operation = "UPDATE", .old_object = wrong}).silent());
  json more = wrong;
  more["spec"]["workerGroupSpecs"].push_back(a_group("v", 3, a_template("4x4", 4)));
  const auto answer = validated(more, {.operation = "UPDATE", .old_object = wrong});
  EXPECT_FALSE(has(answer.message, "worker group w"));
  EXPECT_TRUE(has(answer.message, "worker group v: numOfHosts is 3"));
  EXPECT_TRUE(has(answer.warnings, "worker group w"));
}

// Of what could not be read nobody knows what was wrong, wherever in it that stands: in front of
// chips that are no number or behind them.
TEST(Validate, an_update_of_what_could_not_be_read_is_allowed) {
  for (const char* member : {"affinity", "hostname"}) {
    json before = cluster("w", 4);
    json& spec = before["spec"]["workerGroupSpecs"][0]["template"]["spec"];
    spec["containers"][0]["resources"]["limits"]["google.com/tpu"] = "v1;";
    spec[member] = 5;
    const auto answer = validated(wrong, {.operation = "UPDATE", .old_object = before});
    EXPECT_TRUE(answer.allowed) << member << ": " << answer.message;
    EXPECT_TRUE(has(answer.warnings, "allowed, because the object was already like this: "))
        << member;
    EXPECT_EQ(validated(before).status, 400u) << member;
  }
}

// A finalizer keeps it, and KubeRay up to 1.6.1 goes on making Pods of it: it may become no worse.
TEST(Validate, an_object_that_is_being_deleted_is_judged_as_any_other) {
  json going = wrong;
  going["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z";
  going["metadata"]["finalizers"] = {"a.example/b"};
  EXPECT_FALSE(validated(going, {.operation = "UPDATE", .old_object = cluster("w", 4)}).allowed);
  json released = going;
  released["metadata"].erase("finalizers");
  EXPECT_TRUE(validated(released, {.operation = "UPDATE", .old_object = going}).allowed);
}

TEST(Validate, what_a_checked_object_made_is_not_refused) {
  json made = wrong;
  made["metadata"]["ownerReferences"] = list(
      {{{"apiVersion", "ray.io/v1"}, {"kind", "RayJob"}, {"name", "j"}, {"controller", true}}});
  const auto answer = validated(made);
  EXPECT_TRUE(answer.allowed);
  EXPECT_TRUE(
      has(answer.warnings, "allowed despite this fault, because the RayJob controller created"));
  json& owner = made["metadata"]["ownerReferences"][0];
  owner["apiVersion"] = "another.example/v1";
  EXPECT_FALSE(validated(made).allowed);
  owner["apiVersion"] = "ray.io/v1";
  owner["kind"] = "TrainJob";
  EXPECT_FALSE(validated(made).allowed);
}

// ---- bounds

TEST(Validate, looks_at_so_many_templates_and_says_so) {
  json groups = json::array();
  for (std::size_t i = 0; i < max_templates + 50; ++i)
    groups.push_back(a_group("g" + std::to_string(i), 2, a_template("4x4", 4)));
  const auto answer = validated(a_ray_cluster(groups));
  EXPECT_FALSE(answer.allowed);
  EXPECT_TRUE(has(answer.message, "(20) TPU-401: worker group g19"));
  EXPECT_TRUE(has(answer.message, "; and 12 more"));
  EXPECT_EQ(answer.warnings,
            std::vector<std::string>{
                "TPU-411: only the first 32 Pod templates that ask for TPU were checked; not "
                "checked: 50"});
}

// What asks for no TPU is passed over and not counted.
TEST(Validate, looks_at_a_tpu_template_behind_any_number_of_others) {
  json groups = json::array();
  for (int i = 0; i < 3000; ++i) {
    json plain = a_template("4x4", 4);
    plain["spec"]["containers"][0].erase("resources");
    plain["spec"].erase("nodeSelector");
    groups.push_back(a_group("g" + std::to_string(i), 2, plain));
  }
  EXPECT_TRUE(validated(a_ray_cluster(groups)).silent());
  groups.push_back(a_group("last", 2, a_template("4x4", 4)));
  const auto answer = validated(a_ray_cluster(groups));
  EXPECT_TRUE(has(answer.message, "TPU-401: worker group last"));
  EXPECT_EQ(answer.warnings, std::vector<std::string>());
}

// Groups from `begin` to `end`, each with a fault of its own.
json many_faults(int begin, int end) {
  json groups = json::array();
  for (int i = begin; i < end; ++i)
    groups.push_back(a_group("g" + std::to_string(i), 4, a_template("4x4", "half")));
  return a_ray_cluster(groups);
}

TEST(Validate, tells_twenty_faults_and_how_many_more_there_are) {
  const auto answer = validated(many_faults(0, 2700));
  EXPECT_TRUE(has(answer.message, "(20) TPU-104: worker group g19"));
  EXPECT_TRUE(answer.message.ends_with("; and 2,680 more")) << answer.message;
  EXPECT_FALSE(has(answer.message, "(21)"));
}

// An update is compared with all that was wrong before, not with what was told of it.
TEST(Validate, an_update_is_compared_with_faults_that_were_never_told) {
  const json before = many_faults(0, 500);
  const auto same = validated(before, {.operation = "UPDATE", .old_object = before});
  EXPECT_TRUE(same.allowed) << same.message;
  ASSERT_EQ(same.warnings.size(), 21u);
  EXPECT_EQ(same.warnings.back(), "and 480 more warnings");
  const auto more = validated(many_faults(0, 501), {.operation = "UPDATE", .old_object = before});
  EXPECT_FALSE(more.allowed);
  EXPECT_TRUE(has(more.message, "TPU-104: worker group g500"));
  EXPECT_FALSE(has(more.message, "g499"));
}

// Where the configuration refuses what is not checked, one template more or less of a large object
// is no new fault.
TEST(Validate, how_many_templates_were_not_checked_is_no_new_fault) {
  const auto groups = [](std::size_t count) {
    json all = json::array();
    for (std::size_t i = 0; i < count; ++i)
      all.push_back(a_group("g" + std::to_string(i), 4, a_template("4x4", 4)));
    return a_ray_cluster(all);
  };
  config::Config config;
  config.findings.set(Finding::templates_unchecked, Level::deny);
  EXPECT_FALSE(validated(groups(40), {.config = config}).allowed);
  for (const std::size_t before : {33u, 39u, 40u, 41u})
    EXPECT_TRUE(validated(groups(40),
                          {.operation = "UPDATE", .old_object = groups(before), .config = config})
                    .allowed)
        << before;
  EXPECT_FALSE(
      validated(groups(40), {.operation = "UPDATE", .old_object = groups(32), .config = config})
          .allowed);
}

// The first of what is told, since the rest may fill all that is.
TEST(Validate, templates_that_were_not_checked_are_told_first) {
  json groups = json::array();
  for (int i = 0; i < 40; ++i)
    groups.push_back(a_group("g" + std::to_string(i), 1, a_template("1x9", 1)));
  const auto answer = validated(a_ray_cluster(groups));
  ASSERT_EQ(answer.warnings.size(), 21u) << json(answer.warnings);
  EXPECT_TRUE(answer.warnings.front().ends_with("; not checked: 8")) << answer.warnings.front();
}

// Of an object's name, which each of its templates is decided with, no more is kept than any has.
TEST(Validate, a_name_of_any_length_is_refused_as_too_long) {
  json jobset = a_jobset(list(
      {a_replicated_job("r", {{"completions", 4}, {"parallelism", 4}}, a_template("4x4", 4))}));
  jobset["metadata"]["name"] = std::string(100'000, 'n');
  const auto answer = validated(jobset);
  EXPECT_TRUE(has(answer.message, "a DNS label has at most 63"));
  EXPECT_NE(answer.message.find(' ' + std::string(97, 'n') + "... has "), std::string::npos)
      << answer.message;
  EXPECT_LT(answer.message.size(), 2000u);
}

// ---- Pods and templates are told the same

// "TPU-103: "; the title of a template stands between it and the sentence.
constexpr std::size_t id_size = 9;
std::string without_id(const std::string& sentence) {
  return sentence.substr(id_size);
}

struct NoThrow final : read::ClusterView {
  std::optional<std::string> ray_headless_service(std::string_view,
                                                  std::string_view) const override {
    throw 5;
  }
};

TEST(Validate, what_is_thrown_admits) {
  static const NoThrow thrower;
  const auto answer = validated(wrong, {.cluster = &thrower});
  EXPECT_TRUE(answer.allowed);
  EXPECT_EQ(answer.outcome, Outcome::failed);
}

struct Shapes {
  const char* accelerator;
  const char* topology;
  json chips;
};

// KubeRay's first worker of a group that is made of this template.
Admitted first_worker(const json& pod_template) {
  PodBuilder pod = a_pod().ray("ray", "w", 0, 0);
  pod.set("/spec/nodeSelector", pod_template["spec"]["nodeSelector"]);
  pod.set("/spec/containers", pod_template["spec"]["containers"]);
  return admit(pod);
}

// Of Pods whose number is right: refused as a template, denied as a Pod, in the same words.
TEST(Validate, agrees_with_the_decision_for_a_pod) {
  int refused = 0, allowed = 0;
  for (const char* accelerator : {"tpu-v6e-slice", "tpu-v5p-slice", "tpu7x", "tpu-v9", ""})
    for (const char* topology : {"2x2", "2x4", "4x4", "3x3", "4X4", "2x2x1", "2x2x2", "4x4x4",
                                 "16x16", "0x4", "x", "", "1x1"})
      for (const json& chips :
           {json(1), json("2"), json(4), json(8), json(3), json("0.5"), json(0)}) {
        json pod_template = a_template(topology, chips);
        json& selector = pod_template["spec"]["nodeSelector"];
        selector["cloud.google.com/gke-tpu-accelerator"] = accelerator;
        const auto pod = first_worker(pod_template);
        json right_number = 1;
        for (const json& entry : pod.object["spec"]["containers"][0].value("env", json::array()))
          if (entry["name"] == "TPU_WORKER_HOSTNAMES") {
            const std::string names = entry["value"];
            right_number = 1 + std::count(names.begin(), names.end(), ',');
          }
        const auto answer =
            validated(a_ray_cluster(list({a_group("w", right_number, pod_template)})));
        const std::string what = pod_template.dump() + right_number.dump();
        EXPECT_EQ(pod.allowed, answer.allowed) << what << answer.message;
        (answer.allowed ? allowed : refused) += 1;
        if (!pod.allowed) {
          const auto path = pod.message.find("spec.containers");
          const std::string said =
              path == std::string::npos ? without_id(pod.message) : pod.message.substr(path);
          EXPECT_TRUE(has(answer.message, pod.message.substr(0, id_size)));
          EXPECT_TRUE(has(answer.message, said)) << answer.message << said;
        }
        for (std::string warning : pod.warnings) {
          if (const auto end = warning.find("; nothing was injected"); end != std::string::npos)
            warning.resize(end);
          EXPECT_TRUE(has(answer.warnings, without_id(warning)))
              << what << warning << json(answer.warnings);
        }
      }
  EXPECT_GT(refused, 50);
  EXPECT_GT(allowed, 50);
}

struct Groups final : read::ClusterView {
  std::optional<read::RayGroup> ray_group(std::string_view, std::string_view,
                                          std::string_view) const override {
    return group;
  }
  read::RayGroup group;
};

// What is refused by its size gets nothing as a Pod either.
TEST(Validate, agrees_with_the_decision_for_a_pod_of_a_wrong_size) {
  for (std::uint32_t hosts = 1; hosts < 10; ++hosts) {
    Groups known;
    known.group = {hosts, 1};
    const auto pod = admit(a_pod().ray("ray", "w", 0, 0).on("4x4", 4), {.cluster = &known});
    const auto answer = validated(cluster("w", static_cast<int>(hosts)), {.cluster = &known});
    EXPECT_EQ(answer.allowed, pod.outcome == Outcome::patched) << hosts << answer.message;
    EXPECT_EQ(answer.allowed, hosts == 4) << hosts;
  }
}

}  // namespace
}  // namespace tpuwh::webhook::validate
