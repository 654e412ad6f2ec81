#include "webhook/workloads/lws.hpp"

namespace tpuwh::webhook::workloads {

namespace {

bool claims(const read::Pod& pod) {
  return !pod.label(read::Label::lws_name).empty();
}

constexpr std::string_view cel = "labels[?'leaderworkerset.sigs.k8s.io/name'].orValue('') != ''";

// The controller puts worker-index 0 on leaders; workers get theirs from its webhook.
bool is_leader(const read::Pod& pod) {
  return pod.label(read::Label::lws_worker_index) == "0";
}

bool has_subgroups(const read::Pod& pod) {
  return !pod.annotation(read::Annotation::lws_subgroup_size).empty();
}

bool leader_excluded(const read::Pod& pod) {
  return has_subgroups(pod) &&
         pod.annotation(read::Annotation::lws_subgroup_policy) == "LeaderExcluded";
}

// The worker-index that is host 0 of slice 0. This Pod asks for TPU; of the leader a worker is
// told by an annotation. An excluded leader with TPUs has a host of its own.
std::uint32_t first_member(const read::Pod& pod) {
  if (is_leader(pod)) return 0;
  const bool with_leader =
      !leader_excluded(pod) && pod.annotation(read::Annotation::lws_leader_requests_tpus) == "true";
  return with_leader ? 0 : 1;
}

// Before LWS's webhook has written its labels the ordinal says the same: of the leader in
// the StatefulSet of leaders, of a worker in that of its group.
std::string_view group_index(const read::Pod& pod) {
  const auto label = pod.label(read::Label::lws_group_index);
  return label.empty() && is_leader(pod) ? pod.label(read::Label::pod_index) : label;
}

IndexLabel worker_index(const read::Pod& pod) {
  const auto label = pod.label(read::Label::lws_worker_index);
  return {read::spelled(read::Label::lws_worker_index),
          label.empty() ? pod.label(read::Label::pod_index) : label};
}

// One Service for all groups, or one for each that is called like its leader. LWS's
// webhook writes it into the Pod.
std::string_view subdomain(const WorkloadContext& context, const Member& member) {
  const read::Pod& pod = context.pod;
  if (pod.annotation(read::Annotation::lws_subdomain_policy) != "UniquePerReplica")
    return pod.subdomain;
  context.service.assign(member.group).append("-").append(member.names.stem2);
  return context.service;
}

// A group that the owner keeps on one domain is one slice of it; its subgroups are several.
void keep_together(const read::Pod& pod, Member& member) {
  member.exclusive_topology =
      pod.annotation(has_subgroups(pod) ? read::Annotation::lws_subgroup_exclusive
                                        : read::Annotation::lws_exclusive);
  member.owner_keeps_group =
      has_subgroups(pod) && member.exclusive_topology.empty() &&
      pod.annotation(read::Annotation::lws_exclusive) == read::key::node_pool;
}

std::string_view what_is_missing(const read::Pod& pod, const Member& member) {
  if (leader_excluded(pod) && is_leader(pod))
    return "the leader of a LeaderWorkerSet with subgroup policy LeaderExcluded is not part of a "
           "multi-host slice";
  if (member.names.stem2.empty())
    return "label leaderworkerset.sigs.k8s.io/group-index is missing or empty; LeaderWorkerSet's "
           "webhook writes it";
  if (!member.host.present())
    return "label leaderworkerset.sigs.k8s.io/worker-index is missing or empty; LeaderWorkerSet's "
           "webhook writes it";
  if (!member.group_size.present())
    return "annotation leaderworkerset.sigs.k8s.io/size is missing or empty";
  return {};
}

void identify(const WorkloadContext& context, Member& member) {
  const read::Pod& pod = context.pod;
  member.kind = "LeaderWorkerSet";
  member.group = pod.label(read::Label::lws_name);
  member.part = group_index(pod);
  member.host = worker_index(pod);
  member.group_size = index_under(read::Annotation::lws_size, pod);
  if (has_subgroups(pod))
    member.subgroup_size = index_under(read::Annotation::lws_subgroup_size, pod);
  member.names = {.stem = member.group, .stem2 = member.part};
  member.names.numbered = member.names.bare_first = true;
  member.names.several = has_subgroups(pod);
  member.names.first = first_member(pod);
  member.subdomain = subdomain(context, member);
  member.set_key({context.ns, member.group, member.part});
  member.slice_in_key = has_subgroups(pod);
  // Groups are independent replicas; only subgroups may be slices of one job.
  member.coordinator_known = has_subgroups(pod);
  keep_together(pod, member);
  member.incomplete = what_is_missing(pod, member);
}

constexpr ObjectKind objects[] = {{.group = "leaderworkerset.x-k8s.io",
                                   .versions = {"v1"},
                                   .kind = "LeaderWorkerSet",
                                   .resource = "leaderworkersets"}};

}  // namespace

const Workload lws_workload{.name = "lws",
                            .kind = config::WorkloadKind::lws,
                            .claims = claims,
                            .cel = cel,
                            .label_key = read::spelled(read::Label::lws_name),
                            .identify = identify,
                            .host_from = "label leaderworkerset.sigs.k8s.io/worker-index",
                            .slice_from = "the subgroup of its worker-index",
                            .service_by = "the LeaderWorkerSet controller",
                            .name_label = read::spelled(read::Label::lws_name),
                            .group_kind = "LeaderWorkerSet",
                            .objects = objects};

}  // namespace tpuwh::webhook::workloads
