// What objects of each kind break of a team's rules, before and after an update.
#include "kubectl/policy/breaches.hpp"

#include "server/text/json_text.hpp"
#include "tests/support/validated.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace tpuwh::server::policy {
namespace {

namespace read = webhook::read;

using team_rules::Rule;
using test::a_group;
using test::a_job;
using test::a_jobset;
using test::a_ray_cluster;
using test::a_replicated_job;
using test::a_template;
using test::an_lws;
using test::json;

struct Said {
  std::vector<std::string> all;  // "TPU-656: 4 chips, ..."
  bool refused = false;

  // Returns the first that contains `part`, or "".
  std::string with(std::string_view part) const {
    for (const std::string& each : all)
      if (each.find(part) != std::string::npos) return each;
    return {};
  }
};

Said said(const json& object, Rule rule, const json& before = nullptr,
          const read::ClusterView& cluster = read::NoCluster(), bool others_may_ask = true) {
  rule.name = "dev";
  if (rule.namespaces.empty()) rule.namespaces = {"*"};
  const team_rules::Rules rules{{std::move(rule)}, others_may_ask};
  Said out;
  const auto parsed = [](const json& value) { return text::parse_or_discard(value.dump()); };
  for (const Breach& each :
       breaches({rules, "tpu-webhook.dev/", "default", cluster}, parsed(object), parsed(before))) {
    out.all.push_back(each.id + ": " + each.sentence);
    out.refused = out.refused || each.refused;
  }
  return out;
}

json items(const std::vector<json>& items) {
  return items;
}

// Returns "TPU-656: 4" for an object of 4 chips, which may have none.
std::string chips(const json& object) {
  const std::string found = said(object, {.chips = 0}).with("TPU-656");
  return found.substr(0, found.find(" chips"));
}

json by_claim(std::string_view topology) {
  json out = a_template(topology, 4);
  out["spec"]["containers"][0]["resources"] = {{"claims", items({{{"name", "tpus"}}})}};
  out["spec"]["resourceClaims"] =
      items({{{"name", "tpus"}, {"resourceClaimTemplateName", "four"}}});
  return out;
}

// Returns a Job that runs this many Pods at a time.
json job_of(int pods, const json& pod_template) {
  return a_job({{"parallelism", pods}, {"completions", pods}}, pod_template);
}

// A fraction of a chip, and a claim of which nothing is known.
TEST(Breaches, CountNoChipsThatAreNotKnown) {
  const json one = a_group("g", 4, a_template("4x4", 4));
  EXPECT_EQ(chips(a_ray_cluster(items({one}))), "TPU-656: 16");
  EXPECT_EQ(chips(a_ray_cluster(items({one, a_group("h", 4, a_template("4x4", "half"))}))),
            "TPU-656: 16");
  EXPECT_EQ(chips(a_ray_cluster(items({one, a_group("h", 4, by_claim("4x4"))}))), "TPU-656: 16");
  EXPECT_EQ(chips(a_ray_cluster(items({a_group("h", 4, by_claim("4x4"))}))), "");
}

// Each name of read::chip_resources counts.
TEST(Breaches, CountChipsByTheResourceOfTheirClass) {
  json both = a_template("4x4", 4);
  json& limits = both["spec"]["containers"][0]["resources"]["limits"];
  limits = {{"deviceclass.resource.kubernetes.io/tpu.google.com", "4"}};
  EXPECT_EQ(chips(job_of(4, both)), "TPU-656: 16");
  limits["google.com/tpu"] = "4";
  EXPECT_EQ(chips(job_of(4, both)), "TPU-656: 32");
  limits = {{"deviceclass.resource.kubernetes.io/gpu.nvidia.com", "4"}, {"nvidia.com/gpu", "4"}};
  EXPECT_EQ(chips(job_of(4, both)), "");
}

// 2,048 times 2^53 is nothing in 64 bits.
TEST(Breaches, CountNoChipsAwayByTheirNumber) {
  json pods = a_template("4x4", 4);
  json& containers = pods["spec"]["containers"];
  containers[0]["resources"]["limits"]["google.com/tpu"] = "9007199254740992";
  containers = std::vector<json>(2048, containers[0]);
  EXPECT_EQ(chips(job_of(1, pods)), "TPU-656: 9999");
}

// The annotation has the topology of a part of a slice, the label that of the whole slice.
TEST(Breaches, HoldAPartOfASliceAgainstItsTopology) {
  json pods = a_template("4x4", 4);
  pods["metadata"]["annotations"]["cloud.google.com/gke-tpu-slice-topology"] = "2x4";
  const json job = job_of(2, pods);
  const auto allowed = [&](const char* topology) {
    return said(job, {.topologies = {topology}}).with("topology").empty();
  };
  EXPECT_TRUE(allowed("2x4"));
  EXPECT_FALSE(allowed("4x4"));
}

TEST(Breaches, CountThePodsOfEachKind) {
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

// Knows a claim for four chips of one kind of node.
struct FourOfV5p final : read::ClusterView {
  read::Claimed claimed(const read::ClaimSource&) const override {
    return {.known = read::Claimed::Known::chips,
            .chips = 4,
            .accelerator = "tpu-v5p-slice",
            .topology = "2x2x1"};
  }
};

// A claim may select the nodes that its template does not select.
TEST(Breaches, HoldForNodesThatAClaimSelects) {
  json claims = by_claim(""), without = a_template("", 4);
  without["spec"].erase("nodeSelector");
  claims["spec"].erase("nodeSelector");
  const json jobset =
      a_jobset(items({a_replicated_job("a", json::object(), claims),
                      a_replicated_job("b", json::object(), without),
                      a_replicated_job("c", json::object(), a_template("2x4", 4))}));
  const Said all = said(jobset, {.accelerators = {"tpu7x"}}, nullptr, FourOfV5p());
  EXPECT_NE(all.with("replicated job a: accelerator tpu-v5p-slice is not allowed"), "")
      << json(all.all);
  EXPECT_NE(all.with("replicated job b: selects no accelerator"), "");
  EXPECT_NE(all.with("replicated job c: accelerator tpu-v6e-slice is not allowed"), "");
}

TEST(Breaches, CountReplicas) {
  for (const char* kind : {"Deployment", "StatefulSet"}) {
    json object{{"apiVersion", "apps/v1"}, {"kind", kind}, {"metadata", {{"name", "serve"}}}};
    object["spec"] = {{"replicas", 3}, {"serviceName", "s"}, {"template", a_template("2x2", 4)}};
    EXPECT_EQ(chips(object), "TPU-656: 12") << kind;
  }
  const json pods = a_template("4x4", 4);
  json groups = an_lws({{"size", 4}, {"workerTemplate", pods}, {"leaderTemplate", pods}});
  groups["spec"]["replicas"] = 2;
  EXPECT_EQ(chips(groups), "TPU-656: 32");
}

// A RayJob ends, a RayService does not.
TEST(Breaches, LookAtTheRunTimeOfARayJob) {
  json group = a_group("g", 4, a_template("4x4", 4));
  const json cluster = a_ray_cluster(items({group}))["spec"];
  const auto of = [&](const char* kind, const char* member, const json& deadline) {
    json object{{"apiVersion", "ray.io/v1"},
                {"kind", kind},
                {"metadata", {{"name", "r"}}},
                {"spec", {{member, cluster}}}};
    if (!deadline.is_null()) object["spec"]["activeDeadlineSeconds"] = deadline;
    return said(object, {.run_seconds = 3600}).with("TPU-660");
  };
  EXPECT_NE(of("RayJob", "rayClusterSpec", nullptr).find("nothing says when it ends"),
            std::string::npos);
  EXPECT_EQ(of("RayJob", "rayClusterSpec", 3600), "");
  EXPECT_NE(of("RayJob", "rayClusterSpec", 3601).find("may run for 3601 s"), std::string::npos);
  EXPECT_EQ(of("RayService", "rayClusterConfig", nullptr), "");
}

// What an object says of itself is no excuse.
TEST(Breaches, HoldForWhatOptsOut) {
  json pods = a_template("4x4", 4);
  pods["metadata"]["annotations"]["tpu-webhook.dev/inject"] = "false";
  EXPECT_NE(chips(a_job({{"parallelism", 1}}, pods)), "");
}

// Names, checkpoints and run times are warned of alone.
TEST(Breaches, AreRefusedOrWarnedOf) {
  const json job = a_job({{"parallelism", 1}}, a_template("2x2", 4));
  const Said chips = said(job, {.chips = 3});
  EXPECT_EQ(chips.all, std::vector<std::string>{"TPU-656: 4 chips, expected at most 3 (rule dev)"});
  EXPECT_TRUE(chips.refused);
  const Said name = said(job, {.object_names = "tpu-*"});
  EXPECT_NE(name.with("TPU-658: name"), "");
  EXPECT_FALSE(name.refused);
}

TEST(Breaches, OfAnUpdateAreWhatItMakesWorse) {
  const auto worse = [job = a_template("2x2", 4)](int before, int pods) {
    return said(job_of(pods, job), {.chips = 8}, job_of(before, job)).refused;
  };
  EXPECT_FALSE(worse(4, 4));
  EXPECT_FALSE(worse(4, 3));
  EXPECT_TRUE(worse(4, 5));
  EXPECT_TRUE(worse(2, 3));
}

// An owner is one by its API group and kind.
TEST(Breaches, AreTheMakersIfItIsJudged) {
  const auto made = [](const char* version, bool controller) {
    json job = a_job({{"parallelism", 1}}, a_template("2x2", 4));
    job["metadata"]["ownerReferences"] = items({{{"apiVersion", version},
                                                 {"kind", "JobSet"},
                                                 {"name", "s"},
                                                 {"uid", "u"},
                                                 {"controller", controller}}});
    return made_by_judged(text::parse_or_discard(job.dump()));
  };
  EXPECT_TRUE(made("jobset.x-k8s.io/v1alpha2", true));
  EXPECT_FALSE(made("jobset.x-k8s.io/v1alpha2", false));
  for (const char* another : {"none.example/v1", "v1", "", "batch/v1"})
    EXPECT_FALSE(made(another, true)) << another;
}

// A negative number creates no Pods, and reduces no sum.
TEST(Breaches, CountNoPodsOfANegativeNumber) {
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
}

// What is forbidden already is worse with more chips.
TEST(Breaches, AreMoreChipsOfWhatIsForbidden) {
  const auto job = [](int pods) { return a_job({{"parallelism", pods}}, a_template("2x2", 4)); };
  for (const Rule& rule :
       {Rule{.accelerators = {"tpu7x"}}, Rule{.topologies = {"4x4"}},
        Rule{.capacities = {team_rules::Capacity::spot}}, Rule{.namespaces = {"another"}}}) {
    const auto worse = [&](int pods) {
      return said(job(pods), rule, job(2), read::NoCluster(), false).refused;
    };
    EXPECT_FALSE(worse(2));
    EXPECT_FALSE(worse(1));
    EXPECT_TRUE(worse(3));
  }
}

// A sidecar holds its chips while each other container runs.
TEST(Breaches, CountSidecarsBesideInitContainers) {
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

TEST(Breaches, CountThePodThatSubmitsARayJob) {
  json group = a_group("g", 4, a_template("4x4", 4));
  json job{{"apiVersion", "ray.io/v1"}, {"kind", "RayJob"}, {"metadata", {{"name", "r"}}}};
  job["spec"] = {{"rayClusterSpec", a_ray_cluster(items({group}))["spec"]},
                 {"submitterPodTemplate", a_template("2x4", 8)}};
  EXPECT_EQ(chips(job), "TPU-656: 24");
  EXPECT_NE(said(job, {.topologies = {"4x4"}}).with("submitter: topology 2x4"), "");
}

TEST(Breaches, LookAtRunTimesAndCheckpoints) {
  json pods = a_template("2x2", 4);
  pods["spec"]["nodeSelector"]["cloud.google.com/gke-spot"] = "true";
  const auto of = [](const json& object) {
    return said(object, {.resumable = true, .run_seconds = 3600});
  };
  const Said job = of(a_job({{"parallelism", 1}, {"backoffLimit", 0}}, pods));
  EXPECT_NE(job.with("TPU-659: asks for spot capacity, but no annotation"), "");
  EXPECT_NE(job.with("TPU-660: nothing says when it ends"), "");
  pods["metadata"]["annotations"]["tpu-webhook.dev/checkpoint"] = "gs://bucket/run";
  EXPECT_NE(of(a_job({{"backoffLimit", 0}}, pods)).with("nothing creates its Pods again"), "");
  EXPECT_TRUE(of(a_job({{"activeDeadlineSeconds", 3600}}, pods)).all.empty());
  json jobset = a_jobset(items({a_replicated_job("a", {{"activeDeadlineSeconds", 1800}}, pods)}));
  EXPECT_EQ(of(jobset).with("TPU-660"), "");
  jobset["spec"]["replicatedJobs"][0]["template"]["spec"]["backoffLimit"] = 0;
  EXPECT_NE(of(jobset).with("nothing creates its Pods again"), "");
  jobset["spec"]["failurePolicy"]["maxRestarts"] = 1;
  EXPECT_TRUE(of(jobset).all.empty());
  jobset["spec"]["failurePolicy"]["maxRestarts"] = 2;
  EXPECT_NE(of(jobset).with("replicated job a: may run for 5400 s"), "");
  pods["spec"]["nodeSelector"]["cloud.google.com/gke-max-run-duration-seconds"] = "600";
  EXPECT_TRUE(of(a_job(json::object(), pods)).all.empty());
}

}  // namespace
}  // namespace tpuwh::server::policy
