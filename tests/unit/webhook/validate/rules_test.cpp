// Rules of the cluster: what of each kind of object is held against them, updates, owners, levels.
#include "webhook/validate/validate.hpp"

#include "tests/support/validated.hpp"

#include <gtest/gtest.h>

namespace tpuwh::webhook::validate {
namespace {

using test::a_group;
using test::a_job;
using test::a_jobset;
using test::a_ray_cluster;
using test::a_replicated_job;
using test::a_template;
using test::an_lws;
using test::json;
using test::validated;

test::Change under(rules::Rule rule) {
  rule.name = "dev";
  if (rule.namespaces.empty()) rule.namespaces = {"*"};
  test::Change change;
  change.config.rules = std::make_shared<const rules::Rules>(rules::Rules{{std::move(rule)}});
  return change;
}

json items(const std::vector<json>& items) {
  return items;
}

// The warning on chips of an object, which may have none.
std::string chips(const json& object) {
  const test::Validated answer = validated(object, under({.chips = 0}));
  EXPECT_TRUE(answer.allowed);
  std::string found = answer.warning("TPU-656");
  return found.substr(0, found.find(" chips"));
}

// What the audit annotation says of an object.
std::string judgement(const json& object, const test::Change& change) {
  std::string text = test::review_of_object(object, change).dump();
  answer::Workspace workspace;
  const read::NoCluster cluster;
  const answer::Answer answer = validate(read::Body(text), change.config, cluster, workspace);
  return json::parse(answer.body)["response"]["auditAnnotations"].value("rule", "(absent)");
}

// Of a Job of 16 chips.
std::string judgement(rules::Rule rule) {
  const json spec{{"completions", 4}, {"parallelism", 4}, {"completionMode", "Indexed"}};
  return judgement(a_job(spec, a_template("4x4", 4)), under(std::move(rule)));
}

TEST(Rules, AreNamedInTheAuditAnnotations) {
  EXPECT_EQ(judgement({.chips = 16}), "dev: kept");
  EXPECT_EQ(judgement({.chips = 0}), "dev: TPU-656");
  EXPECT_EQ(judgement({.chips = 0, .run_seconds = 60}), "dev: TPU-660, TPU-656");
  EXPECT_EQ(judgement({.namespaces = {"another"}, .chips = 0}), "no rule: kept");
}

// A template behind the last that is counted, one whose chips are no number, and one whose claims
// are not known.
TEST(Rules, AreNotSaidToBeKeptByWhatIsNotJudged) {
  const auto said = [](const std::vector<json>& groups, std::uint64_t chips) {
    return judgement(a_ray_cluster(groups), under({.chips = chips}));
  };
  const json one = a_group("g", 4, a_template("4x4", 4));
  EXPECT_EQ(said({one}, 16), "dev: kept");
  EXPECT_EQ(said(std::vector<json>(1000, one), 1'000'000), "dev: kept");
  EXPECT_EQ(said(std::vector<json>(1001, one), 1'000'000), "dev: not all judged");
  EXPECT_EQ(said(std::vector<json>(1001, one), 0), "dev: TPU-656, not all judged");
  EXPECT_EQ(said({one, a_group("h", 4, a_template("4x4", "half"))}, 16), "dev: not all judged");
  json by_claim = a_template("4x4", 4);
  by_claim["spec"]["containers"][0]["resources"] = {{"claims", items({{{"name", "tpus"}}})}};
  by_claim["spec"]["resourceClaims"] =
      items({{{"name", "tpus"}, {"resourceClaimTemplateName", "four"}}});
  EXPECT_EQ(said({one, a_group("h", 4, by_claim)}, 16), "dev: not all judged");
  EXPECT_EQ(said({a_group("h", 4, by_claim)}, 16), "(absent)");
}

// By whichever of the names of read::chip_resources.
TEST(Rules, CountChipsByTheResourceOfTheirClass) {
  json both = a_template("4x4", 4);
  json& limits = both["spec"]["containers"][0]["resources"]["limits"];
  limits = {{"deviceclass.resource.kubernetes.io/tpu.google.com", "4"}};
  EXPECT_EQ(chips(a_job({{"completions", 4}, {"parallelism", 4}}, both)), "TPU-656: 16");
  limits["google.com/tpu"] = "4";
  EXPECT_EQ(chips(a_job({{"completions", 4}, {"parallelism", 4}}, both)), "TPU-656: 32");
  limits = {{"deviceclass.resource.kubernetes.io/gpu.nvidia.com", "4"}, {"nvidia.com/gpu", "4"}};
  EXPECT_EQ(chips(a_job({{"completions", 4}, {"parallelism", 4}}, both)), "");
}

// 2,048 times 2^53 is nothing in 64 bits.
TEST(Rules, CountNoChipsAwayByTheirNumber) {
  json pods = a_template("4x4", 4);
  json& containers = pods["spec"]["containers"];
  containers[0]["resources"]["limits"]["google.com/tpu"] = "9007199254740992";
  containers = std::vector<json>(2048, containers[0]);
  EXPECT_EQ(chips(a_job({{"completions", 1}, {"parallelism", 1}}, pods)), "TPU-656: 9999");
}

// Of a part of a slice the nodes' label says the whole, and the annotation the part.
TEST(Rules, HoldAPartOfASliceAgainstItsTopology) {
  json pods = a_template("4x4", 4);
  pods["metadata"]["annotations"]["cloud.google.com/gke-tpu-slice-topology"] = "2x4";
  const json job = a_job({{"parallelism", 2}, {"completions", 2}}, pods);
  const auto allowed = [&](const char* topology) {
    return validated(job, under({.topologies = {topology}})).warning("topology").empty();
  };
  EXPECT_TRUE(allowed("2x4"));
  EXPECT_FALSE(allowed("4x4"));
}

TEST(Rules, CountThePodsOfEachKind) {
  const json pods = a_template("4x4", 4);
  EXPECT_EQ(
      chips(a_job({{"completions", 4}, {"parallelism", 4}, {"completionMode", "Indexed"}}, pods)),
      "TPU-656: 16");
  EXPECT_EQ(chips(a_job({{"completions", 9}, {"parallelism", 2}}, pods)), "TPU-656: 8");
  EXPECT_EQ(chips(a_job({{"parallelism", 0}}, pods)), "");
  EXPECT_EQ(
      chips(a_jobset(items({a_replicated_job("a", {{"completions", 4}, {"parallelism", 4}}, pods),
                            a_replicated_job("b", json::object(), pods)}))),
      "TPU-656: 20");
  json group = a_group("g", 4, pods);
  group["replicas"] = 3;
  EXPECT_EQ(chips(a_ray_cluster(items({group}))), "TPU-656: 48");
  group["suspend"] = true;
  EXPECT_EQ(chips(a_ray_cluster(items({group}))), "TPU-656: 48");
  EXPECT_EQ(chips(an_lws({{"size", 4}, {"workerTemplate", pods}})), "TPU-656: 16");
  EXPECT_EQ(chips(an_lws({{"size", 4}, {"workerTemplate", pods}, {"leaderTemplate", pods}})),
            "TPU-656: 16");
}

// A claim for four chips of one kind of node.
struct FourOfV5p final : read::ClusterView {
  read::Claimed claimed(const read::ClaimSource&) const override {
    return {.known = read::Claimed::Known::chips,
            .chips = 4,
            .accelerator = "tpu-v5p-slice",
            .topology = "2x2x1"};
  }
};

// What a template does not select, its own claims may.
TEST(Rules, HoldForNodesThatAClaimSelects) {
  json by_claim = a_template("", 4), without = by_claim;
  without["spec"].erase("nodeSelector");
  by_claim["spec"].erase("nodeSelector");
  by_claim["spec"]["containers"][0]["resources"] = {{"claims", items({{{"name", "tpus"}}})}};
  by_claim["spec"]["resourceClaims"] =
      items({{{"name", "tpus"}, {"resourceClaimTemplateName", "four"}}});
  const json jobset =
      a_jobset(items({a_replicated_job("a", json::object(), by_claim),
                      a_replicated_job("b", json::object(), without),
                      a_replicated_job("c", json::object(), a_template("2x4", 4))}));
  const FourOfV5p cluster;
  test::Change change = under({.accelerators = {"tpu7x"}});
  change.cluster = &cluster;
  const test::Validated answer = validated(jobset, change);
  EXPECT_NE(answer.warning("replicated job a: accelerator tpu-v5p-slice is not allowed"), "")
      << json(answer.warnings);
  EXPECT_NE(answer.warning("replicated job b: selects no accelerator"), "");
  EXPECT_NE(answer.warning("replicated job c: accelerator tpu-v6e-slice is not allowed"), "");
}

TEST(Rules, CountReplicas) {
  for (const char* kind : {"Deployment", "StatefulSet"}) {
    const json spec{{"replicas", 3}, {"serviceName", "s"}, {"template", a_template("2x2", 4)}};
    EXPECT_EQ(chips({{"apiVersion", "apps/v1"},
                     {"kind", kind},
                     {"metadata", {{"name", "serve"}}},
                     {"spec", spec}}),
              "TPU-656: 12")
        << kind;
  }
}

TEST(Rules, CountTheLeaderOfEachGroup) {
  const json pods = a_template("4x4", 4);
  json groups = an_lws({{"size", 4}, {"workerTemplate", pods}, {"leaderTemplate", pods}});
  groups["spec"]["replicas"] = 2;
  EXPECT_EQ(chips(groups), "TPU-656: 32");
}

// A RayJob ends, a RayService does not.
TEST(Rules, LookAtTheRunTimeOfARayJob) {
  json group = a_group("g", 4, a_template("4x4", 4));
  const json cluster = a_ray_cluster(items({group}))["spec"];
  const auto of = [&](const char* kind, const char* member, const json& deadline) {
    json object{{"apiVersion", "ray.io/v1"},
                {"kind", kind},
                {"metadata", {{"name", "r"}}},
                {"spec", {{member, cluster}}}};
    if (!deadline.is_null()) object["spec"]["activeDeadlineSeconds"] = deadline;
    return validated(object, under({.run_seconds = 3600})).warning("TPU-660");
  };
  EXPECT_NE(of("RayJob", "rayClusterSpec", nullptr).find("nothing says when it ends"),
            std::string::npos);
  EXPECT_EQ(of("RayJob", "rayClusterSpec", 3600), "");
  EXPECT_NE(of("RayJob", "rayClusterSpec", 3601).find("may run for 3601 s"), std::string::npos);
  EXPECT_EQ(of("RayService", "rayClusterConfig", nullptr), "");
}

// What an object says of itself is no excuse.
TEST(Rules, HoldForWhatOptsOut) {
  json pods = a_template("4x4", 4);
  pods["metadata"]["annotations"]["tpu-webhook.dev/inject"] = "false";
  EXPECT_NE(chips(a_job({{"parallelism", 1}}, pods)), "");
}

TEST(Rules, HaveTheLevelOfTheirFinding) {
  const json job = a_job({{"parallelism", 1}}, a_template("2x2", 4));
  test::Change change = under({.chips = 3});
  EXPECT_EQ(validated(job, change).warning("TPU-656"),
            "TPU-656: 4 chips, expected at most 3 (rule dev)");
  change.config.findings.set(Finding::rule_chips, Level::deny);
  const test::Validated denied = validated(job, change);
  EXPECT_FALSE(denied.allowed);
  EXPECT_EQ(denied.reason, outcome::Reason::forbidden);
  change.config.findings.set(Finding::rule_chips, Level::off);
  EXPECT_TRUE(validated(job, change).silent());
}

TEST(Rules, RefuseAnUpdateForWhatItMakesWorse) {
  const auto job = [](int pods) {
    return a_job({{"parallelism", pods}, {"completions", 100}}, a_template("2x2", 4));
  };
  test::Change change = under({.chips = 8});
  change.config.findings.set(Finding::rule_chips, Level::deny);
  change.operation = "UPDATE";
  change.old_object = job(4);
  for (const int pods : {4, 3}) {
    const test::Validated answer = validated(job(pods), change);
    EXPECT_TRUE(answer.allowed);
    EXPECT_NE(answer.warning("allowed, because the object was already like this"), "");
  }
  EXPECT_FALSE(validated(job(5), change).allowed);
  change.old_object = job(2);
  EXPECT_FALSE(validated(job(3), change).allowed);
}

json owned_by(json object, const char* version, const char* kind) {
  object["metadata"]["ownerReferences"] = items({{{"apiVersion", version},
                                                  {"kind", kind},
                                                  {"name", "s"},
                                                  {"uid", "u"},
                                                  {"controller", true}}});
  return object;
}

TEST(Rules, WarnOfWhatAnotherCheckedObjectMade) {
  const auto job = [](int pods, const char* version) {
    return owned_by(a_job({{"parallelism", pods}}, a_template("2x2", 4)), version, "JobSet");
  };
  constexpr auto jobset = "jobset.x-k8s.io/v1alpha2";
  test::Change change = under({.chips = 3});
  change.config.findings.set(Finding::rule_chips, Level::deny);
  const test::Validated answer = validated(job(1, jobset), change);
  EXPECT_TRUE(answer.allowed);
  EXPECT_NE(answer.warning("allowed, because a JobSet made it: 4 chips"), "");
  for (const char* another : {"none.example/v1", "v1", "", "batch/v1"})
    EXPECT_FALSE(validated(job(1, another), change).allowed) << another;
  // Somebody else may change it afterwards.
  change.operation = "UPDATE";
  change.old_object = job(1, jobset);
  EXPECT_TRUE(validated(job(1, jobset), change).allowed);
  EXPECT_FALSE(validated(job(2, jobset), change).allowed);
}

// An API that takes a negative number makes no Pods of it, and none fewer of the others.
TEST(Rules, CountNoPodsOfANegativeNumber) {
  const json pods = a_template("4x4", 4);
  const auto jobs = [&](int replicas, const char* name) {
    json job = a_replicated_job(name, {{"completions", 4}, {"parallelism", 4}}, pods);
    job["replicas"] = replicas;
    return job;
  };
  EXPECT_EQ(chips(a_jobset(items({jobs(1, "a"), jobs(-1000, "b")}))), "TPU-656: 16");
  json group = a_group("g", 4, pods), negative = a_group("h", 4, pods);
  for (const char* each : {"replicas", "minReplicas", "maxReplicas"}) negative[each] = -3;
  group["replicas"] = 1;
  EXPECT_EQ(chips(a_ray_cluster(items({group, negative}))), "TPU-656: 16");
  json groups = an_lws({{"size", 4}, {"workerTemplate", pods}});
  groups["spec"]["replicas"] = -2;
  EXPECT_EQ(chips(groups), "");
  groups["spec"]["replicas"] = -2.5;
  EXPECT_EQ(validated(groups).status, 400u);
}

// What is forbidden already is worse with more chips.
TEST(Rules, RefuseMoreOfWhatTheyForbid) {
  const auto job = [](int pods) { return a_job({{"parallelism", pods}}, a_template("2x2", 4)); };
  for (const rules::Rule& rule :
       {rules::Rule{.accelerators = {"tpu7x"}}, rules::Rule{.topologies = {"4x4"}},
        rules::Rule{.capacities = {rules::Capacity::spot}},
        rules::Rule{.namespaces = {"another"}}}) {
    test::Change change = under(rule);
    auto rules = *change.config.rules;
    rules.others_may_ask = false;
    change.config.rules = std::make_shared<const rules::Rules>(rules);
    for (const Finding each : {Finding::rule_accelerator, Finding::rule_topology,
                               Finding::rule_capacity, Finding::rule_namespace})
      change.config.findings.set(each, Level::deny);
    change.operation = "UPDATE";
    change.old_object = job(2);
    EXPECT_TRUE(validated(job(2), change).allowed);
    EXPECT_TRUE(validated(job(1), change).allowed);
    EXPECT_FALSE(validated(job(3), change).allowed);
  }
}

// A sidecar holds its chips beside each of the others.
TEST(Rules, CountSidecarsBesideInitContainers) {
  const auto asking = [](const char* name, int chips, const char* restarted) {
    json out{{"name", name}, {"resources", {{"limits", {{"google.com/tpu", chips}}}}}};
    if (restarted[0] != '\0') out["restartPolicy"] = restarted;
    return out;
  };
  json pods = a_template("2x4", 1);
  pods["spec"]["initContainers"] = items({asking("s", 3, "Always")});
  EXPECT_EQ(chips(a_job({{"parallelism", 1}}, pods)), "TPU-656: 4");
  pods["spec"]["initContainers"] = items({asking("s", 3, "Always"), asking("i", 4, "")});
  EXPECT_EQ(chips(a_job({{"parallelism", 1}}, pods)), "TPU-656: 7");
}

TEST(Rules, CountThePodThatSubmitsARayJob) {
  json group = a_group("g", 4, a_template("4x4", 4));
  json job{{"apiVersion", "ray.io/v1"}, {"kind", "RayJob"}, {"metadata", {{"name", "r"}}}};
  job["spec"] = {{"rayClusterSpec", a_ray_cluster(items({group}))["spec"]},
                 {"submitterPodTemplate", a_template("2x4", 8)}};
  EXPECT_EQ(chips(job), "TPU-656: 24");
  EXPECT_NE(validated(job, under({.topologies = {"4x4"}})).warning("submitter: topology 2x4"), "");
}

TEST(Rules, LookAtRunTimesAndCheckpoints) {
  json pods = a_template("2x2", 4);
  pods["spec"]["nodeSelector"]["cloud.google.com/gke-spot"] = "true";
  const test::Change change = under({.resumable = true, .run_seconds = 3600});
  const json job = a_job({{"parallelism", 1}, {"backoffLimit", 0}}, pods);
  EXPECT_NE(validated(job, change).warning("TPU-659: asks for spot capacity, but no annotation"),
            "");
  EXPECT_NE(validated(job, change).warning("TPU-660: nothing says when it ends"), "");
  pods["metadata"]["annotations"]["tpu-webhook.dev/checkpoint"] = "gs://bucket/run";
  EXPECT_NE(validated(a_job({{"backoffLimit", 0}}, pods), change)
                .warning("nothing creates its Pods again"),
            "");
  EXPECT_TRUE(validated(a_job({{"activeDeadlineSeconds", 3600}}, pods), change).silent());
  json jobset = a_jobset(items({a_replicated_job("a", {{"activeDeadlineSeconds", 1800}}, pods)}));
  EXPECT_EQ(validated(jobset, change).warning("TPU-660"), "");
  jobset["spec"]["replicatedJobs"][0]["template"]["spec"]["backoffLimit"] = 0;
  EXPECT_NE(validated(jobset, change).warning("nothing creates its Pods again"), "");
  jobset["spec"]["failurePolicy"]["maxRestarts"] = 1;
  EXPECT_TRUE(validated(jobset, change).silent());
  jobset["spec"]["failurePolicy"]["maxRestarts"] = 2;
  EXPECT_NE(validated(jobset, change).warning("replicated job a: may run for 5400 s"), "");
  pods["spec"]["nodeSelector"]["cloud.google.com/gke-max-run-duration-seconds"] = "600";
  EXPECT_TRUE(validated(a_job(json::object(), pods), change).silent());
  // The API server says what is wrong with these, and nothing is refused for them here.
  for (const json& odd : {json("1h"), json(1e20), json(-1), json(1.5)})
    EXPECT_TRUE(validated(a_job({{"activeDeadlineSeconds", odd}}, pods), change).allowed) << odd;
}

}  // namespace
}  // namespace tpuwh::webhook::validate
