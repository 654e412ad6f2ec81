// Which Pods a slice has, and whether something says who each of them is.
#include "base/counted.hpp"
#include "kubectl/inspect/slices/audit.hpp"
#include "kubectl/inspect/slices/events.hpp"
#include "kubectl/inspect/slices/recreate.hpp"
#include "kubectl/print/ranges.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

namespace tpuwh::server::slices {

namespace {

using webhook::read::Variable;

// Annotations of a ReplicaSet's template are the same on all its Pods.
std::string another_workload(const SeenPod& pod) {
  std::string out =
      "use an Indexed Job, a JobSet, a LeaderWorkerSet, a StatefulSet or a RayCluster";
  if (pod.kind != "ReplicaSet") out += ", or the annotations worker-id and hostnames";
  return out;
}

// What is advised is in the fix.
std::string without_advice(const std::string& reason) {
  return reason.substr(0, reason.find("; use "));
}

// Of Pods of a Ray worker group nothing may say which of its slices they are.
std::string of_which_slice(const SliceReport& slice) {
  const std::string hosts = base::counted(slice.hosts, "host");
  return !slice.places_known() && slice.staying.size() > slice.hosts
             ? "of a group whose slices have " + hosts
             : "of a slice of " + hosts;
}

void find_unmutated(const SliceReport& slice, Findings& findings) {
  std::vector<const SeenPod*> bare;
  for (const SeenPod* pod : slice.staying)
    if (is_unmutated(*pod)) bare.push_back(pod);
  if (bare.empty()) return;
  const SeenPod& first = *bare.front();
  const bool in_vain = !first.host && first.workload == webhook::config::WorkloadKind::pod;
  findings.error(
      "unmutated", slice, bare,
      fmt::format(
          "{} {} {} no TPU_WORKER_ID, TPU_WORKER_HOSTNAMES or TPU_PROCESS_ADDRESSES; expected the "
          "variables that tpu-webhook injects, else the slice holds its chips and never forms{}{}",
          names_of(bare), of_which_slice(slice), have(bare),
          first.not_placed.empty() ? "" : "; but ",
          in_vain ? without_advice(first.not_placed) : first.not_placed),
      in_vain ? another_workload(first) : recreate_hint(slice));
}

void find_impossible(const SliceReport& slice, Findings& findings) {
  std::vector<const SeenPod*> impossible;
  for (const SeenPod* pod : slice.staying) {
    const bool seen_on_node = findings.cluster().node_of(*pod) != nullptr;
    if (pod->impossible || (!pod->shares_node.empty() && !seen_on_node)) impossible.push_back(pod);
  }
  if (impossible.empty()) return;
  findings.error("bad-shape", slice, impossible,
                 fmt::format("{}: {}", names_of(impossible), impossible.front()->not_placed),
                 "give the Pods a topology and a number of chips that match: kubectl tpu "
                 "catalog lists them");
}

// Reasons that differ in numbers are one.
std::string alike(std::string reason) {
  std::ranges::replace_if(
      reason, [](char c) { return c >= '0' && c <= '9'; }, '#');
  return reason;
}

// Of Pods that are by the rules of a workload API no member.
std::string place_hint(const SliceReport& slice, const SeenPod& pod) {
  using webhook::config::WorkloadKind;
  if (pod.workload == WorkloadKind::pod) return another_workload(pod);
  if (pod.workload == WorkloadKind::ray) return recreate_hint(slice);
  return fmt::format(
      "kubectl tpu explain of the manifest of {} {}/{} shows the change that it needs", slice.kind,
      slice.ns, slice.group);
}

void find_unidentified(const SliceReport& slice, Findings& findings) {
  std::map<std::string, std::vector<const SeenPod*>> by_reason;
  for (const SeenPod* pod : slice.staying) {
    if (pod->hosts == 0 && !pod->impossible && pod->shares_node.empty())
      findings.not_known(
          fmt::format("{} {}/{}: {}", slice.kind, slice.ns, slice.group, pod->not_placed));
    if (pod->multi_host() && !pod->host && !is_unmutated(*pod))
      by_reason[alike(pod->not_placed)].push_back(pod);
  }
  for (const auto& [reason, pods] : by_reason)
    findings.warn("identity-not-known", slice, pods,
                  fmt::format("{}: {}", names_of(pods), pods.front()->not_placed),
                  place_hint(slice, *pods.front()));
}

std::vector<std::uint32_t> missing_without_failed(const SliceReport& slice) {
  std::vector<std::uint32_t> out = slice.missing;
  for (const SeenPod* pod : slice.failed) std::erase(out, *pod->host);
  return out;
}

// What no event says.
std::string waits_for_ready(const SliceReport& slice) {
  const auto waiting =
      std::ranges::find_if(slice.staying, [](const SeenPod* pod) { return !pod->ready; });
  if (slice.kind != "StatefulSet" || waiting == slice.staying.end()) return {};
  return fmt::format(
      "; Pod {} is not Ready, and a StatefulSet with podManagementPolicy OrderedReady creates the "
      "next one only then",
      (*waiting)->name);
}

// A job that starts looks like this for a while.
void find_missing(const SliceReport& slice, Findings& findings) {
  const auto missing = missing_without_failed(slice);
  if (!slice.multi_host() || missing.empty() || !slice.places_known()) return;
  if (!slice.duplicates.empty()) return;  // which is what is wrong
  const std::string command = events_command(slice, missing.front());
  findings.warn("incomplete", slice, {},
                fmt::format("{} of {} have a Pod; {} {} missing", slice.hosts_present(),
                            base::counted(slice.hosts, "host"),
                            (missing.size() == 1 ? "host " : "hosts ") + print::as_ranges(missing),
                            missing.size() == 1 ? "is" : "are"),
                "if the slice is not just starting or ending, see why its Pods are not created" +
                    (command.empty() ? "" : ": " + command) + waits_for_ready(slice));
}

// Members that have one worker id too are told of there.
bool told_by_id(const SliceReport& slice, const std::vector<const SeenPod*>& pods) {
  return std::ranges::any_of(slice.duplicate_ids, [&](std::uint32_t id) {
    const auto& holders = slice.worker_ids.at(id);
    return std::ranges::all_of(
        pods, [&](const SeenPod* pod) { return std::ranges::find(holders, pod) != holders.end(); });
  });
}

void find_twice(const SliceReport& slice, Findings& findings) {
  for (const std::uint32_t host : slice.duplicates) {
    std::vector<const SeenPod*> pods;
    for (const SeenPod* pod : slice.staying)
      if (pod->host == host) pods.push_back(pod);
    if (told_by_id(slice, pods)) continue;
    findings.error("duplicate-member", slice, pods,
                   fmt::format("{} are all host {}; expected one Pod for each of {}",
                               names_of(pods), host, base::counted(slice.hosts, "host")),
                   "keep the one that belongs there, and delete the others");
  }
}

}  // namespace

bool is_unmutated(const SeenPod& pod) {
  constexpr std::array variables = {Variable::tpu_worker_id, Variable::tpu_worker_hostnames,
                                    Variable::tpu_process_addresses};
  return pod.multi_host() && std::ranges::all_of(pod.processes, [&](const TpuProcess& process) {
           return std::ranges::all_of(variables, [&](Variable v) { return process[v].absent(); });
         });
}

void check_members(const SliceReport& slice, Findings& findings) {
  find_unmutated(slice, findings);
  find_impossible(slice, findings);
  find_unidentified(slice, findings);
  find_missing(slice, findings);
  find_twice(slice, findings);
}

}  // namespace tpuwh::server::slices
