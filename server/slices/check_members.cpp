// Which Pods a slice has, and whether something says who each of them is.
#include "server/slices/audit.hpp"
#include "server/text/ranges.hpp"
#include "server/text/shell_command.hpp"
#include "topology/counted.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

namespace tpuwh::server::slices {

namespace {

using webhook::read::Variable;

constexpr auto another_workload =
    "use an Indexed Job, a JobSet, a LeaderWorkerSet, a StatefulSet or a RayCluster, or the "
    "annotations worker-id and hostnames";

void find_unmutated(const SliceReport& slice, Findings& findings) {
  std::vector<const SeenPod*> bare;
  for (const SeenPod* pod : slice.members)
    if (is_unmutated(*pod)) bare.push_back(pod);
  if (bare.empty()) return;
  const SeenPod& first = *bare.front();
  // The webhook would leave such Pods alone, too.
  const bool in_vain = !first.host && first.workload == webhook::config::WorkloadKind::pod;
  findings.error("unmutated", slice, bare,
                 fmt::format("{} of a slice of {} {} no TPU_WORKER_ID, TPU_WORKER_HOSTNAMES or "
                             "TPU_PROCESS_ADDRESSES; want the variables that tpu-webhook injects, "
                             "else the slice holds "
                             "its chips and never forms{}{}",
                             names_of(bare), topology::counted(slice.hosts, "host"), have(bare),
                             first.not_placed.empty() ? "" : "; but ", first.not_placed),
                 in_vain ? another_workload : recreate_hint(slice));
}

void find_impossible(const SliceReport& slice, Findings& findings) {
  std::vector<const SeenPod*> impossible;
  for (const SeenPod* pod : slice.members)
    if (pod->impossible) impossible.push_back(pod);
  if (impossible.empty()) return;
  findings.error("bad-shape", slice, impossible,
                 fmt::format("{}: {}", names_of(impossible), impossible.front()->not_placed),
                 "give the Pods a topology and a number of chips that match: tpu-webhook "
                 "catalog lists them");
}

void find_unidentified(const SliceReport& slice, Findings& findings) {
  std::map<std::string, std::vector<const SeenPod*>> by_reason;
  for (const SeenPod* pod : slice.members) {
    if (pod->hosts == 0 && !pod->impossible)
      findings.not_known(
          fmt::format("{} {}/{}: {}", slice.kind, slice.ns, slice.group, pod->not_placed));
    if (pod->multi_host() && !pod->host && !is_unmutated(*pod))
      by_reason[pod->not_placed].push_back(pod);
  }
  for (const auto& [reason, pods] : by_reason)
    findings.warn("identity-not-known", slice, pods, fmt::format("{}: {}", names_of(pods), reason),
                  another_workload);
}

// A value of a field selector (EscapeValue of k8s.io/apimachinery/pkg/fields).
std::string field_value(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\' || c == ',' || c == '=') out += '\\';
    out += c;
  }
  return out;
}

// An owner may be called anything.
std::string events_of(const SliceReport& slice) {
  const auto command = text::ShellCommand("kubectl -n")
                           .name(slice.ns)
                           .words("get events --field-selector")
                           .arg("involvedObject.name=", field_value(slice.group));
  return command.text().empty() ? "" : ": " + command.text();
}

// A job that starts looks like this for a while.
void find_missing(const SliceReport& slice, Findings& findings) {
  const bool all_known =
      std::ranges::all_of(slice.members, [](const SeenPod* pod) { return pod->host.has_value(); });
  if (!slice.multi_host() || slice.missing.empty() || !all_known) return;
  if (!slice.duplicates.empty()) return;  // which is what is wrong
  findings.warn(
      "incomplete", slice, {},
      fmt::format("{} of {} have a Pod; {} {} missing", slice.hosts_present(),
                  topology::counted(slice.hosts, "host"),
                  (slice.missing.size() == 1 ? "host " : "hosts ") + text::as_ranges(slice.missing),
                  slice.missing.size() == 1 ? "is" : "are"),
      "if the slice is not just starting or ending, see why its Pods are not created" +
          events_of(slice));
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
    for (const SeenPod* pod : slice.members)
      if (pod->staying() && pod->host == host) pods.push_back(pod);
    if (told_by_id(slice, pods)) continue;
    findings.error("duplicate-member", slice, pods,
                   fmt::format("{} are all host {}; want one Pod for each of {}", names_of(pods),
                               host, topology::counted(slice.hosts, "host")),
                   recreate_hint(slice));
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
