#include "kubectl/predict/expand/lws.hpp"

#include "base/result.hpp"
#include "kubectl/objects/json_path.hpp"
#include "kubectl/objects/keys.hpp"
#include "kubectl/predict/expand/apps.hpp"
#include "kubectl/predict/expand/child.hpp"
#include "kubectl/predict/expand/lws_tpu.hpp"
#include "kubectl/predict/expand/placeholder.hpp"
#include "server/text/json_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string>
#include <utility>

namespace tpuwh::server::expand {

namespace {

using webhook::read::Annotation;
using webhook::read::Label;

const char* const name_key = objects::key_of(Label::lws_name);
const char* const worker_index_key = objects::key_of(Label::lws_worker_index);
const char* const group_index_key = objects::key_of(Label::lws_group_index);
constexpr const char* group_key = "leaderworkerset.sigs.k8s.io/group-key";
constexpr const char* revision_key = objects::key::lws_revision;
constexpr const char* subgroup_index_key = "leaderworkerset.sigs.k8s.io/subgroup-index";
constexpr const char* subgroup_key = "leaderworkerset.sigs.k8s.io/subgroup-key";
const char* const size_key = objects::key_of(Annotation::lws_size);
constexpr const char* leader_name_key = "leaderworkerset.sigs.k8s.io/leader-name";
const char* const exclusive_topology_key = objects::key_of(Annotation::lws_exclusive);
const char* const subgroup_topology_key = objects::key_of(Annotation::lws_subgroup_exclusive);
const char* const subgroup_size_key = objects::key_of(Annotation::lws_subgroup_size);
const char* const subgroup_type_key = objects::key_of(Annotation::lws_subgroup_policy);
const char* const leader_has_tpus_key = objects::key_of(Annotation::lws_leader_requests_tpus);

// A LeaderWorkerSet as its controller reads it: checked, with its defaults.
struct LeaderWorkerSet {
  const Json& object;
  const Json& leader_template;
  const Json& worker_template;
  const Json& claims;
  Owner self;
  std::string revision;
  std::uint64_t replicas, size;
  std::uint64_t subgroup_size;  // 0 without subgroups
  bool leader_excluded;         // from subgroups
  bool shared_subdomain;
};

const Json& group_template_of(const Json& object) {
  return object_or_empty(object_or_empty(object, "spec"), "leaderWorkerTemplate");
}

std::uint64_t size_of(const Json& object) {
  return controllers::one_or(number(group_template_of(object), "size"));
}

std::uint64_t groups_of(const Json& object) {
  return controllers::one_or(number(object_or_empty(object, "spec"), "replicas"));
}

bool is_leader(const Json& pod) {
  return label(pod, worker_index_key) == "0";
}

// ---- what the controllers write

void annotate_topology(Json& pod, const LeaderWorkerSet& lws, const char* key) {
  if (const std::string topology = annotation(lws.object, key); !topology.empty())
    set_annotation(pod, key, topology);
}

void annotate_group(Json& pod, const LeaderWorkerSet& lws) {
  set_annotation(pod, size_key, std::to_string(lws.size));
  annotate_topology(pod, lws, exclusive_topology_key);
  if (lws.subgroup_size == 0) return;
  set_annotation(pod, subgroup_size_key, std::to_string(lws.subgroup_size));
  annotate_topology(pod, lws, subgroup_topology_key);
}

// A leader, or the template of all.
void mark_leader(Json& pod, const LeaderWorkerSet& lws) {
  set_label(pod, worker_index_key, "0");
  set_label(pod, name_key, lws.self.name);
  set_label(pod, revision_key, lws.revision);
  annotate_group(pod, lws);
  if (lws.subgroup_size != 0)
    set_annotation(pod, subgroup_type_key, lws.leader_excluded ? "LeaderExcluded" : "LeaderWorker");
  if (!lws.shared_subdomain)
    set_annotation(pod, objects::key_of(Annotation::lws_subdomain_policy), "UniquePerReplica");
}

// The leader of every group, but for its ordinal.
Json begin_leader(const LeaderWorkerSet& lws, const Owner& set) {
  Json pod = begin_stateful_pod(lws.leader_template, set, lws.self.name, lws.claims);
  mark_leader(pod, lws);
  return pod;
}

// What the Pods of a group have of their leader, and their StatefulSet.
void label_group(Json& object, const LeaderWorkerSet& lws, const Json& leader) {
  set_label(object, group_index_key, label(leader, group_index_key));
  set_label(object, name_key, lws.self.name);
  set_label(object, group_key, label(leader, group_key));
}

// A worker of a leader, or the template of all.
void mark_worker(Json& pod, const LeaderWorkerSet& lws, const Json& leader) {
  label_group(pod, lws, leader);
  set_label(pod, revision_key, lws.revision);
  annotate_group(pod, lws);
  set_annotation(pod, leader_name_key, text::text_member(leader["metadata"], "name"));
  if (requests_tpus(leader["spec"])) set_annotation(pod, leader_has_tpus_key, "true");
}

const std::string& subdomain_of(const LeaderWorkerSet& lws, const std::string& leader) {
  return lws.shared_subdomain ? lws.self.name : leader;
}

// The workers of a leader, but for their ordinals. `set` has the leader's name.
Json begin_worker(const LeaderWorkerSet& lws, const Owner& set, const Json& leader) {
  Json pod = begin_stateful_pod(lws.worker_template, set, subdomain_of(lws, set.name), lws.claims);
  mark_worker(pod, lws, leader);
  return pod;
}

// ---- what the Pod webhook writes

bool has_term(const Json& pod, const char* affinity, const std::string& topology) {
  const Json& kind = object_or_empty(object_or_empty(pod["spec"], "affinity"), affinity);
  const Json& terms = array_or_empty(kind, "requiredDuringSchedulingIgnoredDuringExecution");
  return std::any_of(terms.begin(), terms.end(), [&](const Json& term) {
    return text::text_member(term, "topologyKey") == topology;
  });
}

// Draws the Pods with this value of a label to one domain of the topology, others out of it.
void set_exclusive(Json& pod, const char* key, const std::string& topology) {
  if (has_term(pod, "podAffinity", topology) && has_term(pod, "podAntiAffinity", topology)) return;
  const Json own = Json::array({label(pod, key)});
  const auto term = [&](Json expressions) {
    Json out = Json::object();
    out["labelSelector"]["matchExpressions"] = std::move(expressions);
    out["topologyKey"] = topology;
    return out;
  };
  append_required(pod, "podAffinity", term(Json::array({expression(key, "In", own)})));
  append_required(pod, "podAntiAffinity",
                  term(Json::array({expression(key, "Exists"), expression(key, "NotIn", own)})));
}

void join_subgroup(Json& pod, const std::string& leader, const std::string& index) {
  set_label(pod, subgroup_index_key, index);
  set_label(pod, subgroup_key, sha1_hex(fmt::format("{}/{}", leader, index)));
  if (has_annotation(pod, subgroup_topology_key))
    set_exclusive(pod, subgroup_key, annotation(pod, subgroup_topology_key));
}

void admit_leader(Json& pod, const LeaderWorkerSet& lws, const std::string& name,
                  std::uint64_t group) {
  if (label(pod, group_index_key).empty()) set_label(pod, group_index_key, std::to_string(group));
  if (!lws.shared_subdomain) pod["spec"]["subdomain"] = name;
  if (label(pod, group_key).empty())
    set_label(pod, group_key, sha1_hex(fmt::format("{}/{}", lws.self.ns, name)));
  if (has_annotation(pod, exclusive_topology_key))
    set_exclusive(pod, group_key, annotation(pod, exclusive_topology_key));
  if (lws.subgroup_size != 0 && !lws.leader_excluded && label(pod, subgroup_index_key).empty())
    join_subgroup(pod, name, "0");
}

// Where size - 1 divides, the leader is one too many in the first subgroup.
std::uint64_t subgroup_of(const LeaderWorkerSet& lws, std::uint64_t worker) {
  const std::uint64_t shift = (lws.size - 1) % lws.subgroup_size == 0 ? 1 : 0;
  return (worker - shift) / lws.subgroup_size;
}

void admit_worker(Json& pod, const LeaderWorkerSet& lws, const std::string& leader,
                  std::uint64_t worker) {
  set_label(pod, worker_index_key, std::to_string(worker));
  if (lws.subgroup_size != 0 && label(pod, subgroup_index_key).empty())
    join_subgroup(pod, leader, std::to_string(subgroup_of(lws, worker)));
}

// The hosts of a group, of which every Pod that asks for TPUs is one.
Result<void> set_group_variables(Json& pod, TpuLists& lists, const LeaderWorkerSet& lws,
                                 const std::string& leader, std::uint64_t worker) {
  const bool leader_has_tpus = annotation(pod, leader_has_tpus_key) == "true";
  const Hosts hosts{leader, text::text_member(pod["spec"], "subdomain"),
                    leader_has_tpus || is_leader(pod), 1, lws.size - 1};
  const auto position = static_cast<std::int64_t>(worker);
  return lists.set(pod, hosts, false, leader_has_tpus || worker == 0 ? position : position - 1);
}

// The index of a subgroup as its label has it; a user may have written the label.
Result<std::uint64_t> subgroup_index(const Json& pod) {
  const std::string text = label(pod, subgroup_index_key);
  std::uint32_t index = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), index);
  if (error == std::errc() && end == text.data() + text.size()) return std::uint64_t{index};
  return bad_value(
      "excludes a leader that asks for TPUs: LeaderWorkerSet's webhook refuses its Pod",
      "spec.leaderWorkerTemplate.subGroupPolicy");
}

// The same of a subgroup. The position of a leader is -1 where its template lacks the annotation,
// which the controller sets for workers alone: LeaderWorkerSet v0.9.0 writes just that.
Result<void> set_subgroup_variables(Json& pod, TpuLists& lists, const LeaderWorkerSet& lws,
                                    const std::string& leader, std::uint64_t worker) {
  const Result<std::uint64_t> index = subgroup_index(pod);
  if (!index) return index.error();
  const bool leader_has_tpus = annotation(pod, leader_has_tpus_key) == "true";
  const std::uint64_t size = lws.subgroup_size;
  Hosts hosts{leader, text::text_member(pod["spec"], "subdomain"), false, size * *index + 1,
              size * (*index + 1)};
  hosts.with_leader = is_leader(pod) || (leader_has_tpus && *index == 0);
  if (is_leader(pod) || leader_has_tpus) --hosts.last;
  if (!is_leader(pod) && leader_has_tpus && *index != 0) --hosts.first;
  const auto position = static_cast<std::int64_t>(worker) - (leader_has_tpus ? 0 : 1);
  return lists.set(pod, hosts, true, position % static_cast<std::int64_t>(size));
}

Result<void> set_tpu_variables(Json& pod, TpuLists& lists, const LeaderWorkerSet& lws,
                               const std::string& leader, std::uint64_t worker) {
  if (!requests_tpus(pod["spec"])) return {};
  return lws.subgroup_size != 0 ? set_subgroup_variables(pod, lists, lws, leader, worker)
                                : set_group_variables(pod, lists, lws, leader, worker);
}

// Its own variables stand first, since others may refer to them; one of a name stays.
void set_own_variables(Json& pod) {
  const std::string leader = fmt::format(
      "{}-{}.{}.{}", label(pod, name_key), label(pod, group_index_key),
      text::text_member(pod["spec"], "subdomain"), text::text_member(pod["metadata"], "namespace"));
  for_each_container(pod, [&](Json& container) {
    Json fresh = {{"env", Json::array()}};
    append_env(fresh, "LWS_LEADER_ADDRESS", leader);
    append_env(fresh, "LWS_GROUP_SIZE", annotation(pod, size_key));
    append_env(fresh, "LWS_WORKER_INDEX", label(pod, worker_index_key));
    for (const Json& entry : array_or_empty(container, "env"))
      if (!has_env(fresh, text::text_member(entry, "name"))) fresh["env"].push_back(entry);
    container["env"] = std::move(fresh["env"]);
  });
}

// ---- all Pods

Owner set_called(const LeaderWorkerSet& lws, std::string name) {
  return {"apps/v1", "StatefulSet", lws.self.ns, std::move(name)};
}

// Calls `visit` for the workers of a leader.
Result<bool> visit_workers(const LeaderWorkerSet& lws, const Json& leader, const Visit& visit) {
  const Owner set = set_called(lws, text::text_member(leader["metadata"], "name"));
  const Json base = begin_worker(lws, set, leader);
  TpuLists lists;
  for (std::uint64_t worker = 1; worker < lws.size; ++worker) {
    Json pod = base;
    set_ordinal(pod, set, lws.claims, worker);
    admit_worker(pod, lws, set.name, worker);
    if (auto good = set_tpu_variables(pod, lists, lws, set.name, worker); !good)
      return good.error();
    set_own_variables(pod);
    if (!visit(pod)) return false;
  }
  return true;
}

// But for the variables that list its group.
Json leader_of(const LeaderWorkerSet& lws, const Owner& set, const Json& base,
               std::uint64_t group) {
  Json leader = base;
  set_ordinal(leader, set, lws.claims, group);
  admit_leader(leader, lws, text::text_member(leader["metadata"], "name"), group);
  return leader;
}

Result<bool> visit_group(const LeaderWorkerSet& lws, const Owner& set, const Json& base,
                         std::uint64_t group, const Visit& visit) {
  Json leader = leader_of(lws, set, base, group);
  const std::string name = text::text_member(leader["metadata"], "name");
  TpuLists lists;
  if (auto good = set_tpu_variables(leader, lists, lws, name, 0); !good) return good.error();
  set_own_variables(leader);
  if (!visit(leader)) return false;
  return lws.size > 1 ? visit_workers(lws, leader, visit) : true;
}

Result<void> visit_groups(const LeaderWorkerSet& lws, const Visit& visit) {
  const Owner set = set_called(lws, lws.self.name);
  const Json base = begin_leader(lws, set);
  for (std::uint64_t group = 0; group < lws.replicas; ++group) {
    const Result<bool> more = visit_group(lws, set, base, group, visit);
    if (!more) return more.error();
    if (!*more) break;
  }
  return {};
}

// ---- what it makes on the way to Pods

// What the StatefulSets of leaders and of workers have in common.
Json set_spec(const LeaderWorkerSet& lws, const std::string& service, std::uint64_t replicas) {
  Json out = {
      {"serviceName", service}, {"replicas", replicas}, {"podManagementPolicy", "Parallel"}};
  if (!lws.claims.empty()) out["volumeClaimTemplates"] = lws.claims;
  const Json& kept =
      object_or_empty(group_template_of(lws.object), "persistentVolumeClaimRetentionPolicy");
  if (!kept.empty()) out["persistentVolumeClaimRetentionPolicy"] = kept;
  return out;
}

Json set_of_leaders(const LeaderWorkerSet& lws) {
  const Owner self = set_called(lws, lws.self.name);
  Json set = begin_child(self, lws.self, {});
  set_label(set, name_key, lws.self.name);
  set_label(set, revision_key, lws.revision);
  set_annotation(set, "leaderworkerset.sigs.k8s.io/replicas", std::to_string(lws.replicas));
  Json& spec = set["spec"] = set_spec(lws, lws.self.name, lws.replicas);
  spec["template"] = lws.leader_template;
  mark_leader(spec["template"], lws);
  spec["selector"]["matchLabels"] = {{name_key, lws.self.name}, {worker_index_key, "0"}};
  return set;
}

Json set_of_workers(const LeaderWorkerSet& lws, const Json& leader) {
  const std::string name = text::text_member(leader["metadata"], "name");
  Json set = begin_child(set_called(lws, name), {"v1", "Pod", lws.self.ns, name}, {});
  label_group(set, lws, leader);
  Json& spec = set["spec"] = set_spec(lws, subdomain_of(lws, name), lws.size - 1);
  spec["selector"]["matchLabels"] = set["metadata"]["labels"];
  set_label(set, revision_key, lws.revision);
  spec["ordinals"]["start"] = 1;
  spec["template"] = lws.worker_template;
  mark_worker(spec["template"], lws, leader);
  return set;
}

// One for all Pods, or one for each group, which its leader owns.
Child service_of(const LeaderWorkerSet& lws, const Json& leader) {
  Json selector = {{name_key, lws.self.name}};
  if (!lws.shared_subdomain) selector[group_index_key] = label(leader, group_index_key);
  const std::string name = text::text_member(leader["metadata"], "name");
  const Owner owner = lws.shared_subdomain ? lws.self : Owner{"v1", "Pod", lws.self.ns, name};
  Json service = headless_service(service_called(lws.self.ns, subdomain_of(lws, name)), owner,
                                  std::move(selector));
  set_label(service, name_key, lws.self.name);
  return {.object = std::move(service),
          .count = lws.shared_subdomain ? 1 : lws.replicas,
          .may_exist = true};
}

Result<void> check_subgroups(const Json& group_template, const std::string& path) {
  if (auto good = check_members(group_template, {{"subGroupPolicy", Shape::object}}, path); !good)
    return good;
  if (!group_template.contains("subGroupPolicy")) return {};
  const std::string here = below(path, "subGroupPolicy");
  const Json& policy = group_template["subGroupPolicy"];
  if (auto good = check_members(policy, {{"subGroupPolicyType", Shape::string}}, here); !good)
    return good;
  if (auto good = check_counts(policy, {"subGroupSize"}, here); !good) return good;
  if (count_or(policy, "subGroupSize", 0) != 0) return {};
  return bad_value(policy.contains("subGroupSize") ? "is 0" : "is missing",
                   below(here, "subGroupSize"));
}

Result<void> check_spec(const Json& spec) {
  if (auto good = check_counts(spec, {"replicas"}, "spec"); !good) return good;
  if (auto good = check_members(spec, {{"networkConfig", Shape::object}}, "spec"); !good)
    return good;
  if (auto good = check_members(object_or_empty(spec, "networkConfig"),
                                {{"subdomainPolicy", Shape::string}}, "spec.networkConfig");
      !good)
    return good;
  const Result<const Json*> group = need_object(spec, "leaderWorkerTemplate", "spec");
  if (!group) return group.error();
  const std::string here = "spec.leaderWorkerTemplate";
  if (auto good = check_counts(**group, {"size"}, here); !good) return good;
  if (count_or(**group, "size", 1) == 0) return bad_value("is 0", below(here, "size"));
  if (auto good = check_subgroups(**group, here); !good) return good;
  if (auto good = check_claims(**group, here); !good) return good;
  if (auto worker = need_template(**group, "workerTemplate", here); !worker) return worker.error();
  if (!(*group)->contains("leaderTemplate")) return {};
  if (auto leader = need_template(**group, "leaderTemplate", here); !leader) return leader.error();
  return {};
}

LeaderWorkerSet read(const Parent& lws, const ExpandOptions& options) {
  const auto& [object, self, spec] = lws;
  const Json& group = group_template_of(object);
  const Json& worker = group["workerTemplate"];
  const Json& policy = object_or_empty(group, "subGroupPolicy");
  const std::string subdomains =
      text::text_member(object_or_empty(spec, "networkConfig"), "subdomainPolicy");
  return {.object = object,
          .leader_template = group.contains("leaderTemplate") ? group["leaderTemplate"] : worker,
          .worker_template = worker,
          .claims = array_or_empty(group, "volumeClaimTemplates"),
          .self = self,
          .revision = suffix_of(self.kind, self.ns, self.name, 10),
          .replicas = shown(groups_of(object), options),
          .size = size_of(object),
          .subgroup_size = count_or(policy, "subGroupSize", 0),
          .leader_excluded = text::text_member(policy, "subGroupPolicyType") == "LeaderExcluded",
          .shared_subdomain = subdomains != "UniquePerReplica"};
}

}  // namespace

std::uint64_t count_lws(const Json& lws) {
  return multiply(groups_of(lws), size_of(lws));
}

Result<void> expand_lws(const Parent& lws, const ExpandOptions& options, const Visit& visit) {
  if (auto good = check_spec(lws.spec); !good) return good;
  return visit_groups(read(lws, options), visit);
}

Result<Children> children_of_lws(const Parent& object) {
  if (auto good = check_spec(object.spec); !good) return good.error();
  const LeaderWorkerSet lws = read(object, {});
  const Owner set = set_called(lws, lws.self.name);
  const Json leader = leader_of(lws, set, begin_leader(lws, set), 0);
  Children out{.others = {"ControllerRevision"}};
  if (lws.shared_subdomain) out.list.push_back(service_of(lws, leader));
  out.list.push_back({.object = set_of_leaders(lws)});
  if (!lws.claims.empty()) out.others.emplace_back("PersistentVolumeClaim");
  if (lws.replicas == 0) return out;
  if (!lws.shared_subdomain) out.list.push_back(service_of(lws, leader));
  if (lws.size > 1)
    out.list.push_back({.object = set_of_workers(lws, leader), .count = lws.replicas});
  return out;
}

}  // namespace tpuwh::server::expand
