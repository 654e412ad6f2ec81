#include "webhook/workloads/jobset.hpp"

#include "webhook/workloads/job.hpp"

namespace tpuwh::webhook::workloads {

namespace {

bool claims(const read::Pod& pod) {
  return !pod.label(read::Label::jobset_name).empty();
}

constexpr std::string_view cel = "labels[?'jobset.sigs.k8s.io/jobset-name'].orValue('') != ''";

// Slices may come from several replicated jobs of one group (JobSet's groups, for
// slices with different templates). Then the group counts them, and host 0 of slice
// 0 may belong to another replicated job, whose name is not on this Pod: where they meet is said by
// spec.coordinator of the JobSet, which JobSet writes on every Pod.
void count_slices(const read::Pod& pod, Member& member) {
  const auto group = pod.label(read::Label::jobset_group_name);
  const auto group_replicas = pod.label(read::Label::jobset_group_replicas);
  member.slice = index_under(read::Label::jobset_job_index, pod);
  member.slice_count = index_under(read::Label::jobset_replicas, pod);
  const bool grouped = !group.empty() && group != "default" && !group_replicas.empty() &&
                       !pod.label(read::Label::jobset_job_group_index).empty();
  if (!grouped || group_replicas == member.slice_count.text) return;
  member.group_slice = index_under(read::Label::jobset_job_group_index, pod);
  member.slice_count = index_under(read::Label::jobset_group_replicas, pod);
  member.coordinator_known = false;
  member.of_several_owners = true;
  member.coordinator = pod.label(read::Label::jobset_coordinator);
}

// Completion index 0 leads: JobSet's own rule.
void find_leader(const WorkloadContext& context, Member& member) {
  const read::Pod& pod = context.pod;
  if (!context.config.followers || member.exclusive_topology.empty() || member.host.text == "0" ||
      !member.host.present())
    return;
  member.leader_domain =
      context.cluster.leader_domain({.ns = context.ns,
                                     .jobset = member.group,
                                     .replicated_job = member.part,
                                     .job_index = pod.label(read::Label::jobset_job_index),
                                     .job_uid = pod.owner.uid},
                                    member.exclusive_topology);
}

std::string_view missing_label(const read::Pod& pod) {
  if (pod.label(read::Label::jobset_replicated_job).empty())
    return "label jobset.sigs.k8s.io/replicatedjob-name is missing or empty";
  if (pod.label(read::Label::jobset_job_index).empty())
    return "label jobset.sigs.k8s.io/job-index is missing or empty";
  if (pod.label(read::Label::jobset_replicas).empty())
    return "label jobset.sigs.k8s.io/replicatedjob-replicas is missing or empty";
  if (!completion_index(pod).present())
    return "the Pod has no completion index, so it is not known which host of the slice it is; set "
           "completionMode: Indexed on the JobSet's job template";
  return {};
}

void identify(const WorkloadContext& context, Member& member) {
  const read::Pod& pod = context.pod;
  member.kind = "JobSet";
  member.group = pod.label(read::Label::jobset_name);
  member.part = pod.label(read::Label::jobset_replicated_job);
  member.host = completion_index(pod);
  member.names = {member.group, member.part, true};
  member.subdomain = pod.subdomain;
  member.exclusive_topology = pod.annotation(read::Annotation::jobset_exclusive);
  member.slices_are_one_job = true;
  count_slices(pod, member);
  key_by_job(pod, context.ns, member);
  member.index_names_slice = true;
  member.incomplete = missing_label(pod);
  find_leader(context, member);
}

constexpr ObjectKind objects[] = {{.group = "jobset.x-k8s.io",
                                   .versions = {"v1alpha2"},
                                   .kind = "JobSet",
                                   .resource = "jobsets"}};

}  // namespace

const Workload jobset_workload{.name = "jobset",
                               .kind = config::WorkloadKind::jobset,
                               .claims = claims,
                               .cel = cel,
                               .label_key = read::spelled(read::Label::jobset_name),
                               .identify = identify,
                               .host_from = "the Job's completion index",
                               .slice_from = "label jobset.sigs.k8s.io/job-index",
                               .slices_from = "label jobset.sigs.k8s.io/replicatedjob-replicas",
                               .service_by = "the JobSet controller",
                               .part_is = "replicated job",
                               .name_label = read::spelled(read::Label::jobset_name),
                               .group_kind = "JobSet",
                               .makes_again = false,
                               .objects = objects};

}  // namespace tpuwh::webhook::workloads
