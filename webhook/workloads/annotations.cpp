#include "webhook/workloads/annotations.hpp"

namespace tpuwh::webhook::workloads {

namespace {

// A slice among those of several owners, each of which knows but its own; or a slice of
// an owner whose index was missing.
void apply_slice(const read::Pod& pod, Member& member) {
  const IndexLabel id{"annotation slice-id", pod.annotation(read::Annotation::slice_id)};
  if (const auto count = pod.annotation(read::Annotation::slice_count); !count.empty()) {
    member.slice_count = {"annotation slice-count", count};
    member.slices_asked = true;
  }
  if (const auto own = pod.annotation(read::Annotation::coordinator); !own.empty())
    member.coordinator = own;
  if (!id.present()) return;
  const bool replaces_missing = !member.slice.key.empty() && !member.slice.present();
  if (replaces_missing) {
    member.slice = id;
    return;
  }
  member.group_slice = id;
  // Host 0 of slice 0 is another owner's, whose names are not known here.
  member.coordinator_known = false;
}

// The Pods of a plain Job that is told to be several slices: completion index 0 to
// hosts - 1 are slice 0, and so on.
void split_job(Member& member) {
  if (member.workload != config::WorkloadKind::job || !member.slices_asked) return;
  if (member.group_slice.present() || !member.host.present()) return;
  member.names.numbered = member.slice_in_key = true;
}

bool says_who(const read::Pod& pod, const Member& member) {
  const bool host = !member.hostnames.empty() && member.host.present();
  const bool slice = pod.has(read::Annotation::slice_id) && !member.coordinator.empty();
  return host || slice;
}

}  // namespace

void apply_annotations(const read::Pod& pod, std::string_view ns, Member& member) {
  member.hostnames = pod.annotation(read::Annotation::hostnames);
  member.worker_id = {"annotation worker-id", pod.annotation(read::Annotation::worker_id)};
  member.worker_count = {"annotation worker-count", pod.annotation(read::Annotation::worker_count)};
  // Never in place of an owner's index: on a Pod template the annotation is the same on every Pod.
  if (!member.host.present() && member.worker_id.present()) {
    member.host = member.worker_id;
    member.names.numbered = false;
  }
  apply_slice(pod, member);
  split_job(member);
  if (!member.hostnames.empty()) {
    member.gives_names = false;
    if (!member.slice_in_key && member.key_parts.front().empty())
      member.set_key({ns, "hostnames", member.hostnames});
  }
  if (says_who(pod, member)) member.incomplete = {};
  if (member.slice.present() && member.host.present()) member.needs_place = false;
}

}  // namespace tpuwh::webhook::workloads
