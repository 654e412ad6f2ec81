// Deployments, StatefulSets and CronJobs.
#include "webhook/validate/apps.hpp"

#include <gtest/gtest.h>

#include "tests/support/validated.hpp"

namespace tpuwh::webhook::validate {
namespace {

using namespace test;

json an_app(const char* kind, const json& spec) {
  json object = {{"apiVersion", "apps/v1"},
                 {"kind", kind},
                 {"metadata", {{"name", "serve"}, {"namespace", "ns"}}},
                 {"spec", {{"serviceName", "serve"}, {"template", a_template("4x4", 4)}}}};
  object["spec"].update(spec);
  return object;
}

TEST(Apps, pods_of_a_deployment_are_all_alike) {
  const auto answer = validated(an_app("Deployment", {{"replicas", 4}}));
  EXPECT_TRUE(answer.allowed);
  EXPECT_EQ(answer.warnings,
            std::vector<std::string>{
                "TPU-410: a Deployment makes identical Pods, but 4x4 with 4 chips per Pod "
                "has 4 hosts (16 / 4), each with an id of its own; use a LeaderWorkerSet or a "
                "StatefulSet"});
}

TEST(Apps, a_deadline_is_refused) {
  json pod_template = a_template("2x2", 4);
  for (const char* kind : {"Deployment", "StatefulSet"})
    for (const json& deadline : {json(nullptr), json(60)}) {
      pod_template["spec"]["activeDeadlineSeconds"] = deadline;
      const json object = an_app(kind, {{"template", pod_template}});
      const auto answer = validated(object);
      const bool told =
          (answer.message + answer.warning("")).find("activeDeadlineSeconds is set") !=
          std::string::npos;
      EXPECT_EQ(told, !deadline.is_null()) << answer.message;
    }
}

TEST(Apps, pods_of_one_host_may_be_alike) {
  EXPECT_TRUE(validated(an_app("Deployment", {{"template", a_template("2x2", 4)}})).silent());
}

TEST(Apps, what_a_pod_is_denied_for_its_template_is_refused_for) {
  const auto answer = validated(an_app("Deployment", {{"template", a_template("four", 4)}}));
  EXPECT_FALSE(answer.allowed);
  EXPECT_TRUE(has(answer.message, "slices of Deployment serve could never start: TPU-102: "));
}

TEST(Apps, a_hundred_letters_of_a_name_are_shown) {
  json object = an_app("StatefulSet", {{"template", a_template("four", 4)}});
  const auto shown = [&](std::size_t letters) {
    object["metadata"]["name"] = std::string(letters, 'n');
    return validated(object).message.find(std::string(letters, 'n') + " could") !=
           std::string::npos;
  };
  EXPECT_TRUE(shown(100));
  EXPECT_FALSE(shown(101));
}

TEST(Apps, replicas_of_a_statefulset_are_whole_slices) {
  for (const int whole : {0, 4, 8})
    EXPECT_TRUE(validated(an_app("StatefulSet", {{"replicas", whole}})).silent()) << whole;
  for (const int part : {1, 3, 5})
    EXPECT_TRUE(has(validated(an_app("StatefulSet", {{"replicas", part}})).warnings,
                    "TPU-409: replicas is " + std::to_string(part) + ", but 4x4"));
  EXPECT_TRUE(
      has(validated(an_app("StatefulSet", json::object())).warnings, "replicas is missing"));
}

TEST(Apps, slices_of_a_statefulset_pinned_to_one_pool) {
  json pinned = a_template("4x4", 4);
  pinned["spec"]["nodeSelector"]["cloud.google.com/gke-nodepool"] = "p";
  const auto warned = [&](int replicas) {
    return validated(an_app("StatefulSet", {{"replicas", replicas}, {"template", pinned}}))
        .warning("TPU-604");
  };
  EXPECT_TRUE(has(warned(8), "2 slices select node pool p"));
  EXPECT_EQ(warned(4), "");
}

TEST(Apps, a_statefulset_of_a_leader_worker_set_is_its_business) {
  json pod_template = a_template("4x4", 4);
  pod_template["metadata"]["labels"]["leaderworkerset.sigs.k8s.io/name"] = "serve";
  EXPECT_TRUE(
      validated(an_app("StatefulSet", {{"replicas", 3}, {"template", pod_template}})).silent());
}

TEST(Apps, a_cron_job_is_checked_as_the_job_it_makes) {
  const auto cron_job = [](const json& job) {
    return json{{"apiVersion", "batch/v1"},
                {"kind", "CronJob"},
                {"metadata", {{"name", "nightly"}, {"namespace", "ns"}}},
                {"spec", {{"schedule", "0 3 * * *"}, {"jobTemplate", {{"spec", job}}}}}};
  };
  json pod_template = a_template("4x4", 4);
  pod_template["spec"]["subdomain"] = "nightly";
  pod_template["spec"]["restartPolicy"] = "Never";
  const json good = {{"completionMode", "Indexed"},
                     {"completions", 4},
                     {"parallelism", 4},
                     {"template", pod_template}};
  EXPECT_TRUE(validated(cron_job(good)).silent());
  json small = good;
  small["completions"] = 2;
  EXPECT_TRUE(has(validated(cron_job(small)).warnings, "TPU-405: completions is 2"));
  EXPECT_TRUE(validated(cron_job(json::object())).silent());
  const auto broken = validated(cron_job({{"completions", "four"}}));
  EXPECT_EQ(broken.status, 400u);
  EXPECT_TRUE(has(broken.message, "spec.jobTemplate.spec.completions"));
}

TEST(Apps, hosts_that_are_made_one_after_the_other) {
  json pod_template = a_template("4x4", 4);
  const auto warning = [&](const json& more) {
    json spec{{"replicas", 4}, {"template", pod_template}};
    spec.update(more);
    return validated(an_app("StatefulSet", spec)).warning("TPU-413");
  };
  EXPECT_EQ(warning(json::object()), "");
  pod_template["spec"]["containers"][0]["livenessProbe"]["tcpSocket"]["port"] = 80;
  EXPECT_EQ(warning(json::object()), "");
  pod_template["spec"]["containers"][0]["readinessProbe"]["tcpSocket"]["port"] = 80;
  EXPECT_TRUE(has(warning(json::object()),
                  "podManagementPolicy is missing, which means OrderedReady: "
                  "each Pod is created when the previous one is Ready, which is "
                  "decided by readinessProbe of container c, but 4x4"));
  EXPECT_EQ(warning({{"podManagementPolicy", "Parallel"}}), "");
  pod_template = a_template("4x4", 4);
  json sidecar{{"name", "s"}, {"startupProbe", {{"tcpSocket", {{"port", 80}}}}}};
  pod_template["spec"]["initContainers"] = std::vector<json>{sidecar};
  EXPECT_EQ(warning(json::object()), "");  // it ends
  sidecar["restartPolicy"] = "Always";
  pod_template["spec"]["initContainers"] = std::vector<json>{sidecar};
  EXPECT_TRUE(has(warning(json::object()), "startupProbe of container s"));
}

}  // namespace
}  // namespace tpuwh::webhook::validate
