#include "kubectl/predict/expand/apps.hpp"

#include "kubectl/objects/json_path.hpp"
#include "kubectl/objects/keys.hpp"
#include "kubectl/predict/expand/child.hpp"
#include "kubectl/predict/expand/placeholder.hpp"
#include "server/text/json_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace tpuwh::server::expand {

namespace {

std::string claim_name(const Json& claim) {
  return text::text_member(object_or_empty(claim, "metadata"), "name");
}

bool is_claim(const Json& claims, const std::string& volume) {
  return std::any_of(claims.begin(), claims.end(),
                     [&](const Json& claim) { return claim_name(claim) == volume; });
}

// The volumes of claims stand first; one of the template with the same name gives way.
Json volumes_of(const Json& pod_template, const Json& claims) {
  Json out = Json::array();
  for (const Json& claim : claims) {
    Json volume = {{"name", claim_name(claim)}};
    volume["persistentVolumeClaim"]["claimName"] = "";
    out.push_back(std::move(volume));
  }
  for (const Json& volume : array_or_empty(pod_template["spec"], "volumes"))
    if (!is_claim(claims, text::text_member(volume, "name"))) out.push_back(volume);
  return out;
}

// What they have in common.
Result<void> check_replicated(const Json& spec) {
  if (auto good = check_counts(spec, {"replicas"}, "spec"); !good) return good;
  const Result<const Json*> found = need_template(spec, "template", "spec");
  if (!found) return found.error();
  return {};
}

// Pods of a ReplicaSet differ in what the API server gives them: one is shown as often as needed.
void visit_replicas(const Json& pod, std::uint64_t count, const Visit& visit) {
  for (std::uint64_t i = 0; i < count && visit(pod); ++i) {
  }
}

std::string hash_of_template(const Owner& deployment) {
  return suffix_of("Deployment", deployment.ns, deployment.name, 10);
}

Owner replica_set_of(const Owner& deployment) {
  return {deployment.api_version, "ReplicaSet", deployment.ns,
          fmt::format("{}-{}", deployment.name, hash_of_template(deployment))};
}

}  // namespace

std::uint64_t count_replicas(const Json& object) {
  return controllers::one_or(number(object_or_empty(object, "spec"), "replicas"));
}

Result<void> expand_deployment(const Parent& deployment, const ExpandOptions& options,
                               const Visit& visit) {
  const auto& [whole, self, spec] = deployment;
  if (auto good = check_replicated(spec); !good) return good;
  const Owner set = replica_set_of(self);
  Json pod = begin_pod(spec["template"], set, "", set.name + '-');
  set_label(pod, objects::key::pod_template_hash, hash_of_template(self));
  visit_replicas(pod, shown(count_replicas(whole), options), visit);
  return {};
}

Result<Children> children_of_deployment(const Parent& deployment) {
  const auto& [whole, self, spec] = deployment;
  if (auto good = check_replicated(spec); !good) return good.error();
  const std::string hash = hash_of_template(self);
  Json pod_template = spec["template"];
  set_label(pod_template, objects::key::pod_template_hash, hash);
  Json set =
      begin_child(replica_set_of(self), self, {{"labels", pod_template["metadata"]["labels"]}});
  for (const auto& [key, value] :
       object_or_empty(object_or_empty(whole, "metadata"), "annotations").items())
    if (key != "kubectl.kubernetes.io/last-applied-configuration")
      set_annotation(set, key.c_str(), value.get<std::string>());
  set["spec"] = {{"replicas", count_replicas(whole)}};
  if (spec.contains("minReadySeconds")) set["spec"]["minReadySeconds"] = spec["minReadySeconds"];
  Json& selector = set["spec"]["selector"] = object_or_empty(spec, "selector");
  if (object_or_empty(selector, "matchLabels").empty()) selector["matchLabels"] = Json::object();
  selector["matchLabels"][objects::key::pod_template_hash] = hash;
  set["spec"]["template"] = std::move(pod_template);
  Children out;
  out.list.push_back({.object = std::move(set)});
  return out;
}

Result<Children> children_of_stateful_set(const Parent& stateful_set) {
  Children out{.others = {"ControllerRevision"}};
  if (!array_or_empty(stateful_set.spec, "volumeClaimTemplates").empty())
    out.others.emplace_back("PersistentVolumeClaim");
  return out;
}

Result<void> expand_replica_set(const Parent& replica_set, const ExpandOptions& options,
                                const Visit& visit) {
  const auto& [whole, self, spec] = replica_set;
  if (auto good = check_replicated(spec); !good) return good;
  const Json pod = begin_pod(spec["template"], self, "", self.name + '-');
  visit_replicas(pod, shown(count_replicas(whole), options), visit);
  return {};
}

Result<void> expand_stateful_set(const Parent& stateful_set, const ExpandOptions& options,
                                 const Visit& visit) {
  const auto& [whole, self, spec] = stateful_set;
  if (auto good = check_replicated(spec); !good) return good;
  if (auto good = check_members(spec, {{"serviceName", Shape::string}, {"ordinals", Shape::object}},
                                "spec");
      !good)
    return good;
  const Json& ordinals = object_or_empty(spec, "ordinals");
  if (auto good = check_counts(ordinals, {"start"}, "spec.ordinals"); !good) return good;
  if (auto good = check_claims(spec, "spec"); !good) return good;
  const Json& claims = array_or_empty(spec, "volumeClaimTemplates");
  Json pod =
      begin_stateful_pod(spec["template"], self, text::text_member(spec, "serviceName"), claims);
  const std::uint64_t first = count_or(ordinals, "start", 0);
  for (std::uint64_t i = 0; i < shown(count_replicas(whole), options); ++i) {
    set_ordinal(pod, self, claims, first + i);
    if (!visit(pod)) break;
  }
  return {};
}

Json begin_stateful_pod(const Json& pod_template, const Owner& set, const std::string& service,
                        const Json& claims) {
  Json pod = begin_pod(pod_template, set, set.name, set.name + '-');
  set_label(pod, objects::key::controller_revision,
            fmt::format("{}-{}", set.name, suffix_of("StatefulSet", set.ns, set.name, 10)));
  Json& spec = pod["spec"];
  spec["hostname"] = "";
  spec.erase("subdomain");
  if (!service.empty()) spec["subdomain"] = service;
  if (Json volumes = volumes_of(pod_template, claims); !volumes.empty())
    spec["volumes"] = std::move(volumes);
  return pod;
}

void set_ordinal(Json& pod, const Owner& set, const Json& claims, std::uint64_t ordinal) {
  const std::string name = fmt::format("{}-{}", set.name, ordinal);
  pod["metadata"]["name"] = name;
  set_label(pod, "statefulset.kubernetes.io/pod-name", name);
  set_label(pod, objects::key_of(webhook::read::Label::pod_index), std::to_string(ordinal));
  pod["spec"]["hostname"] = name;
  for (std::size_t i = 0; i < claims.size(); ++i)
    pod["spec"]["volumes"][i]["persistentVolumeClaim"]["claimName"] =
        fmt::format("{}-{}", claim_name(claims[i]), name);
}

Result<void> check_claims(const Json& parent, const std::string& path) {
  if (auto good = check_members(parent, {{"volumeClaimTemplates", Shape::objects}}, path); !good)
    return good;
  std::size_t index = 0;
  for (const Json& claim : array_or_empty(parent, "volumeClaimTemplates")) {
    const std::string here = fmt::format("{}.volumeClaimTemplates[{}].metadata", path, index++);
    if (auto name = need_text(object_or_empty(claim, "metadata"), "name", here); !name)
      return name.error();
  }
  return {};
}

}  // namespace tpuwh::server::expand
