#include "tests/support/validated.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace tpuwh::test {

std::string Validated::warning(std::string_view part) const {
  for (const std::string& each : warnings)
    if (each.find(part) != std::string::npos) return each;
  return {};
}

json review_of_object(const json& object, const Change& change) {
  const std::string api_version = object["apiVersion"];
  const auto slash = api_version.find('/');
  const json kind{{"group", api_version.substr(0, slash)},
                  {"version", api_version.substr(slash + 1)},
                  {"kind", object["kind"]}};
  json request{{"uid", "u-1"},
               {"kind", kind},
               {"name", object["metadata"].value("name", "")},
               {"namespace", "team-a"},
               {"operation", change.operation},
               {"object", object},
               {"oldObject", change.old_object}};
  if (!change.sub_resource.empty()) request["subResource"] = change.sub_resource;
  return {{"kind", "AdmissionReview"},
          {"apiVersion", "admission.k8s.io/v1"},
          {"request", std::move(request)}};
}

Validated validated(const json& object, const Change& change) {
  static webhook::answer::Workspace
      workspace;  // as in the server: what one leaves, the next one meets
  static const webhook::read::NoCluster nothing;
  std::string text = review_of_object(object, change).dump();
  const webhook::read::ClusterView& cluster = change.cluster != nullptr ? *change.cluster : nothing;
  const webhook::answer::Answer answer =
      webhook::validate::validate(webhook::read::Body(text), change.config, cluster, workspace);
  Validated out;
  out.status = answer.http_status;
  out.outcome = answer.summary.outcome;
  out.reason = answer.summary.reason;
  out.owner = answer.summary.owner;
  EXPECT_EQ(answer.ledger.use, webhook::answer::LedgerStep::Use::none);
  const json body = json::parse(answer.body);
  if (out.status != 200) {
    out.message = body["message"];
    return out;
  }
  const json& response = body["response"];
  EXPECT_EQ(body["apiVersion"], "admission.k8s.io/v1");
  EXPECT_EQ(response["uid"], "u-1");
  EXPECT_FALSE(response.contains("patch"));
  out.allowed = response["allowed"];
  if (!out.allowed) {
    out.message = response["status"]["message"];
    EXPECT_EQ(response["status"]["code"], 422);
  }
  for (const json& each : response.value("warnings", json::array())) out.warnings.push_back(each);
  for (const std::string& each : out.warnings)
    EXPECT_EQ(each.find("nothing was injected"), std::string::npos) << each;
  return out;
}

json a_template(std::string_view topology, const json& chips) {
  json selector{{"cloud.google.com/gke-tpu-accelerator", "tpu-v6e-slice"}};
  if (!topology.empty()) selector["cloud.google.com/gke-tpu-topology"] = topology;
  const json container{{"name", "c"}, {"resources", {{"limits", {{"google.com/tpu", chips}}}}}};
  return {{"spec", {{"nodeSelector", selector}, {"containers", json::array({container})}}}};
}

json a_group(std::string_view name, const json& hosts, const json& pod_template) {
  json group{{"groupName", name}, {"replicas", 1}, {"template", pod_template}};
  if (!hosts.is_null()) group["numOfHosts"] = hosts;
  return group;
}

json a_ray_cluster(const json& groups) {
  const json head{{"template", {{"spec", {{"containers", json::array({{{"name", "h"}}})}}}}}};
  return {{"apiVersion", "ray.io/v1"},
          {"kind", "RayCluster"},
          {"metadata", {{"name", "ray"}}},
          {"spec", {{"headGroupSpec", head}, {"workerGroupSpecs", groups}}}};
}

json a_replicated_job(std::string_view name, json spec, const json& pod_template) {
  spec["template"] = pod_template;
  return {{"name", name}, {"replicas", 1}, {"template", {{"spec", std::move(spec)}}}};
}

json a_jobset(const json& replicated_jobs) {
  return {{"apiVersion", "jobset.x-k8s.io/v1alpha2"},
          {"kind", "JobSet"},
          {"metadata", {{"name", "js"}}},
          {"spec", {{"replicatedJobs", replicated_jobs}}}};
}

json a_job(json spec, const json& pod_template) {
  spec["template"] = pod_template;
  json& pod = spec["template"]["spec"];
  if (pod.is_object() && !pod.contains("restartPolicy")) pod["restartPolicy"] = "Never";
  return {{"apiVersion", "batch/v1"},
          {"kind", "Job"},
          {"metadata", {{"name", "train"}}},
          {"spec", std::move(spec)}};
}

json an_lws(const json& leader_worker_template) {
  return {{"apiVersion", "leaderworkerset.x-k8s.io/v1"},
          {"kind", "LeaderWorkerSet"},
          {"metadata", {{"name", "lws"}}},
          {"spec", {{"replicas", 1}, {"leaderWorkerTemplate", leader_worker_template}}}};
}

}  // namespace tpuwh::test
