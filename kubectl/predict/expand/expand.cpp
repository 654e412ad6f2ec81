#include "kubectl/predict/expand/expand.hpp"

#include "base/result.hpp"
#include "kubectl/objects/api_version.hpp"
#include "kubectl/predict/expand/apps.hpp"
#include "kubectl/predict/expand/job.hpp"
#include "kubectl/predict/expand/jobset.hpp"
#include "kubectl/predict/expand/lws.hpp"
#include "kubectl/predict/expand/plain.hpp"
#include "kubectl/predict/expand/pod_template.hpp"
#include "kubectl/predict/expand/ray.hpp"
#include "kubectl/predict/expand/ray_job.hpp"
#include "kubectl/predict/expand/reading.hpp"
#include "server/text/json_text.hpp"
#include "webhook/workloads/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>

namespace tpuwh::server::expand {

namespace {

namespace workloads = webhook::workloads;
using workloads::ObjectKind;

// A bare Pod is its own: the API server adds the namespace of the request.
Result<void> expand_pod(const Json& pod, const Owner& self, const Visit& visit) {
  if (auto good = check_pod(pod, ""); !good) return good;
  Json sent = pod;
  sent.erase("status");
  sent["metadata"]["namespace"] = self.ns;
  visit(sent);
  return {};
}

// What makes Pods and is in no row of the workload table, since it is not checked.
constexpr ObjectKind pod_kind{.group = "", .versions = {"v1"}, .kind = "Pod", .resource = "pods"};
constexpr ObjectKind replica_set_kind{
    .group = "apps", .versions = {"v1"}, .kind = "ReplicaSet", .resource = "replicasets"};

Result<Children> no_children(const Parent&) {
  return Children();
}

struct Api {
  std::string_view kind;
  std::uint64_t (*count)(const Json& object);
  Result<void> (*expand)(const Parent& object, const ExpandOptions& options, const Visit& visit);
  Result<Children> (*children)(const Parent& object) = no_children;
};

// Of kinds that expand_plain() does not know.
constexpr Api apis[] = {
    {"Job", count_job, expand_job},
    {"CronJob", count_cron_job, expand_cron_job, children_of_cron_job},
    {"JobSet", count_jobset, expand_jobset, children_of_jobset},
    {"RayCluster", count_ray_cluster, expand_ray_cluster, children_of_ray_cluster},
    {"RayJob", count_ray_job, expand_ray_job, children_of_ray_job},
    {"RayService", count_ray_service, expand_ray_service, children_of_ray_service},
    {"LeaderWorkerSet", count_lws, expand_lws, children_of_lws},
    {"StatefulSet", count_replicas, expand_stateful_set, children_of_stateful_set},
    {"Deployment", count_replicas, expand_deployment, children_of_deployment},
    {"ReplicaSet", count_replicas, expand_replica_set},
};

const Api* api_of(const ObjectKind& kind) {
  const auto found = std::ranges::find(apis, kind.kind, &Api::kind);
  return found == std::end(apis) ? nullptr : found;
}

// Null for what makes no Pods.
const ObjectKind* kind_of(const Json& object) {
  const std::string version = text::text_member(object, "apiVersion");
  const std::string kind = text::text_member(object, "kind");
  if (version.empty()) return nullptr;
  const std::string_view group = objects::split_api_version(version).group;
  for (const ObjectKind* each : {&pod_kind, &replica_set_kind})
    if (each->kind == kind && each->group == group) return each;
  const auto found = workloads::find_object(group, kind);
  const bool known = found && (found->object->maker != nullptr || api_of(*found->object));
  return known ? found->object : nullptr;
}

Result<Owner> self_of(const Json& object, const ObjectKind& kind, const ExpandOptions& options) {
  return owner_of(object, fmt::format("{}/{}", kind.group, kind.versions.front()), kind.kind,
                  options);
}

}  // namespace

bool makes_pods(const Json& object) {
  return kind_of(object) != nullptr;
}

std::uint64_t pod_count(const Json& object) {
  const ObjectKind* kind = kind_of(object);
  if (kind == nullptr) return 0;
  if (kind == &pod_kind) return 1;
  const Json plain = without_nulls(object);
  return kind->maker != nullptr ? count_plain(plain, *kind->maker) : api_of(*kind)->count(plain);
}

std::vector<std::string> read_kinds() {
  std::vector<std::string> out;
  for (const Api& api : apis)
    if (api.kind != replica_set_kind.kind) out.emplace_back(api.kind);
  for (const auto& workload : workloads::workloads())
    for (const ObjectKind& object : workload.objects)
      if (object.maker != nullptr) out.emplace_back(object.kind);
  out.emplace_back(pod_kind.kind);
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

Result<Children> children_of(const Json& object, const ExpandOptions& options) {
  const ObjectKind* kind = kind_of(object);
  if (kind == nullptr || kind == &pod_kind || kind->maker != nullptr) return Children();
  const Json plain = without_nulls(object);
  const auto self = self_of(plain, *kind, options);
  if (!self) return self.error();
  const Result<const Json*> spec = need_object(plain, "spec", "");
  if (!spec) return spec.error();
  return api_of(*kind)->children({plain, *self, **spec});
}

Result<void> for_each_pod(const Json& object, const ExpandOptions& options,
                          const std::function<bool(const Json& pod)>& each) {
  const ObjectKind* kind = kind_of(object);
  if (kind == nullptr) return bad_value("makes no Pods", "kind");
  const Json plain = without_nulls(object);
  const auto self = self_of(plain, *kind, options);
  if (!self) return self.error();
  if (kind == &pod_kind) return expand_pod(plain, *self, each);
  const Result<const Json*> spec = need_object(plain, "spec", "");
  if (!spec) return spec.error();
  const Parent parent{plain, *self, **spec};
  return kind->maker != nullptr ? expand_plain(parent, *kind->maker, options, each)
                                : api_of(*kind)->expand(parent, options, each);
}

}  // namespace tpuwh::server::expand
