#include "server/tools/predict/expand/expand.hpp"

#include "base/result.hpp"
#include "server/text/json_text.hpp"
#include "server/tools/predict/expand/apps.hpp"
#include "server/tools/predict/expand/job.hpp"
#include "server/tools/predict/expand/jobset.hpp"
#include "server/tools/predict/expand/lws.hpp"
#include "server/tools/predict/expand/plain.hpp"
#include "server/tools/predict/expand/pod_template.hpp"
#include "server/tools/predict/expand/ray.hpp"
#include "server/tools/predict/expand/ray_job.hpp"
#include "server/tools/predict/expand/reading.hpp"
#include "webhook/workloads/table.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace tpuwh::server::expand {

namespace {

std::uint64_t count_pod(const Json&) {
  return 1;
}

// A bare Pod is its own: the API server adds the namespace of the request.
Result<void> expand_pod(const Json& pod, const ExpandOptions& options, const Visit& visit) {
  const Result<Owner> self = owner_of(pod, "v1", "Pod", options);
  if (!self) return self.error();
  if (auto good = check_pod(pod, ""); !good) return good;
  Json sent = pod;
  sent.erase("status");
  sent["metadata"]["namespace"] = self->ns;
  visit(sent);
  return {};
}

struct Api {
  std::string_view group, kind;
  std::uint64_t (*count)(const Json& object);
  Result<void> (*expand)(const Json& object, const ExpandOptions& options, const Visit& visit);
};

constexpr std::array<Api, 11> apis = {{
    {"", "Pod", count_pod, expand_pod},
    {"batch", "Job", count_job, expand_job},
    {"batch", "CronJob", count_cron_job, expand_cron_job},
    {"jobset.x-k8s.io", "JobSet", count_jobset, expand_jobset},
    {"ray.io", "RayCluster", count_ray_cluster, expand_ray_cluster},
    {"ray.io", "RayJob", count_ray_job, expand_ray_job},
    {"ray.io", "RayService", count_ray_service, expand_ray_service},
    {"leaderworkerset.x-k8s.io", "LeaderWorkerSet", count_lws, expand_lws},
    {"apps", "StatefulSet", count_replicas, expand_stateful_set},
    {"apps", "Deployment", count_replicas, expand_deployment},
    {"apps", "ReplicaSet", count_replicas, expand_replica_set},
}};

// "batch" of "batch/v1", "" of "v1".
std::string_view group_of_version(std::string_view api_version) {
  const auto slash = api_version.find('/');
  return slash == std::string_view::npos ? std::string_view() : api_version.substr(0, slash);
}

const Api* api_of(const Json& object) {
  const std::string version = text::text_member(object, "apiVersion");
  const std::string kind = text::text_member(object, "kind");
  if (version.empty()) return nullptr;
  const auto found = std::find_if(apis.begin(), apis.end(), [&](const Api& api) {
    return api.kind == kind && api.group == group_of_version(version);
  });
  return found == apis.end() ? nullptr : found;
}

// Of a kind that the workload table says all about; null for the ones above.
const webhook::workloads::ObjectKind* plain_kind_of(const Json& object) {
  const std::string version = text::text_member(object, "apiVersion");
  const auto found =
      webhook::workloads::find_object(group_of_version(version), text::text_member(object, "kind"));
  return found && found->object->maker != nullptr ? found->object : nullptr;
}

}  // namespace

bool makes_pods(const Json& object) {
  return api_of(object) != nullptr || plain_kind_of(object) != nullptr;
}

std::uint64_t pod_count(const Json& object) {
  if (const Api* api = api_of(object)) return api->count(without_nulls(object));
  const auto* plain = plain_kind_of(object);
  return plain == nullptr ? 0 : count_plain(without_nulls(object), *plain->maker);
}

std::vector<std::string> read_kinds() {
  std::vector<std::string> out;
  for (const Api& api : apis)
    if (api.kind != "Pod" && api.kind != "ReplicaSet") out.emplace_back(api.kind);
  for (const auto& workload : webhook::workloads::workloads())
    for (const auto& object : workload.objects)
      if (object.maker != nullptr) out.emplace_back(object.kind);
  out.emplace_back("Pod");
  return out;
}

std::optional<PodRange> autoscaled_pods(const Json& object) {
  const Json* spec = ray_cluster_spec(object);
  return spec == nullptr ? std::nullopt : worker_range(*spec);
}

std::vector<MadeUpName> made_up_names(const Json& object, const ExpandOptions& options) {
  const std::string kind = text::text_member(object, "kind");
  const Result<Owner> self = owner_of(object, "", kind, options);
  if (!self) return {};
  const Json& metadata = object_or_empty(object, "metadata");
  const bool generated = text::text_member(metadata, "name").empty();
  const std::string shown =
      generated ? text::text_member(metadata, "generateName") + '*' : self->name;
  std::vector<MadeUpName> out;
  if (kind == "CronJob") out.push_back({job_name_of_cron_job(*self), shown + "-*"});
  if (kind == "RayJob" || kind == "RayService")
    out.push_back({cluster_name_of(*self), shown + "-*"});
  if (generated) out.push_back({self->name, shown});
  return out;
}

Result<void> for_each_pod(const Json& object, const ExpandOptions& options,
                          const std::function<bool(const Json& pod)>& each) {
  if (const Api* api = api_of(object)) return api->expand(without_nulls(object), options, each);
  if (const auto* plain = plain_kind_of(object))
    return expand_plain(without_nulls(object), *plain, options, each);
  return Error(base::Errc::bad_value, "makes no Pods", "kind");
}

}  // namespace tpuwh::server::expand
