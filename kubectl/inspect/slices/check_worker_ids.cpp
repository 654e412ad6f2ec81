// TPU_WORKER_ID: 0 to processes - 1, each once.
#include "base/counted.hpp"
#include "base/names.hpp"
#include "kubectl/inspect/slices/audit.hpp"
#include "kubectl/inspect/slices/recreate.hpp"
#include "kubectl/print/ranges.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>

namespace tpuwh::server::slices {

namespace {

using webhook::read::Variable;

std::vector<const SeenPod*> once_each(const std::vector<const SeenPod*>& pods) {
  std::vector<const SeenPod*> out;
  for (const SeenPod* pod : pods)
    if (std::ranges::find(out, pod) == out.end()) out.push_back(pod);
  return out;
}

std::string unused_ids(const SliceReport& slice) {
  std::vector<std::uint32_t> unused;
  for (std::uint32_t id = 0; id < slice.processes; ++id)
    if (!slice.worker_ids.contains(id)) unused.push_back(id);
  if (unused.empty() || !slice.worker_ids_known) return {};
  return fmt::format("; no container has {}", print::as_ranges(unused));
}

void find_duplicates(const SliceReport& slice, Findings& findings) {
  if (slice.duplicate_ids.empty()) return;
  std::vector<const SeenPod*> all;
  for (const std::uint32_t id : slice.duplicate_ids)
    for (const SeenPod* pod : slice.worker_ids.at(id)) all.push_back(pod);
  const std::uint32_t id = slice.duplicate_ids.front();
  const auto& holders = slice.worker_ids.at(id);
  const auto others = std::span(slice.duplicate_ids).subspan(1);
  findings.error(
      "duplicate-worker-id", slice, once_each(all),
      fmt::format(
          "TPU_WORKER_ID {} is held by {} TPU containers, of {}{}; expected each of 0 to {} once{}",
          id, holders.size(), names_of(once_each(holders)),
          others.empty() ? "" : fmt::format("; so are {}", print::as_ranges(others)),
          std::max(slice.processes, 1u) - 1, unused_ids(slice)),
      recreate_hint(slice, {Variable::tpu_worker_id}));
}

// What a container has that is not an id of this slice; "" where it has one, or it is not known.
std::string not_an_id(const SliceReport& slice, const TpuProcess& process) {
  const EnvValue& id = process[Variable::tpu_worker_id];
  if (!id.literal() || slice.processes == 0) return {};
  const auto number = base::plain_decimal(id.text);
  if (number && *number < slice.processes) return {};
  return fmt::format("\"{}\" in container {}", base::printable(id.text),
                     base::printable(process.container));
}

void find_out_of_range(const SliceReport& slice, Findings& findings) {
  std::vector<const SeenPod*> pods;
  std::string first;
  for (const SeenPod* pod : slice.staying) {
    for (const TpuProcess& process : pod->processes) {
      const auto found = not_an_id(slice, process);
      if (found.empty()) continue;
      if (first.empty()) first = fmt::format("Pod {} has {}", pod->name, found);
      pods.push_back(pod);
    }
  }
  if (pods.empty()) return;
  findings.error("worker-id-out-of-range", slice, once_each(pods),
                 fmt::format("TPU_WORKER_ID is out of range for this slice: {}; expected a whole "
                             "number from 0 to {}, for {}",
                             first, slice.processes - 1, base::counted(slice.processes, "process")),
                 recreate_hint(slice, {Variable::tpu_worker_id}));
}

// With one process the device plugin says 0.
void find_missing_ids(const SliceReport& slice, Findings& findings) {
  if (slice.processes < 2) return;
  std::vector<const SeenPod*> pods;
  for (const SeenPod* pod : slice.staying) {
    const bool absent = std::ranges::any_of(pod->processes, [](const TpuProcess& process) {
      return process[Variable::tpu_worker_id].absent();
    });
    if (absent && !is_unmutated(*pod)) pods.push_back(pod);
  }
  if (pods.empty()) return;
  findings.error(
      "missing-worker-id", slice, pods,
      fmt::format("{} {} a TPU container without TPU_WORKER_ID; expected each of 0 to {} once",
                  names_of(pods), have(pods), slice.processes - 1),
      recreate_hint(slice));
}

}  // namespace

void check_worker_ids(const SliceReport& slice, Findings& findings) {
  find_duplicates(slice, findings);
  find_out_of_range(slice, findings);
  find_missing_ids(slice, findings);
  if (!slice.worker_ids_known)
    findings.not_known(slice.full_name() +
                       ": TPU_WORKER_ID comes from valueFrom, envFrom or another variable, so the "
                       "worker ids were not compared");
}

}  // namespace tpuwh::server::slices
