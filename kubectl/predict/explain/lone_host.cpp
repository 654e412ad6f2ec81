#include "kubectl/predict/explain/lone_host.hpp"

#include "topology/catalog.hpp"
#include "webhook/read/vocabulary.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tpuwh::server::explain {

std::optional<Finding> lone_host_fault(const slices::SeenPod& seen) {
  if (seen.hosts != 1 || topology::traits_of(seen.accelerator).ids_by_webhook) return std::nullopt;
  const bool lws = seen.workload == webhook::config::WorkloadKind::lws;
  for (const slices::TpuProcess& process : seen.processes) {
    const auto& names = process[webhook::read::Variable::tpu_worker_hostnames];
    if (!names.literal()) continue;
    const auto count = std::ranges::count(names.text, ',') + 1;
    if (count <= seen.processes_per_host) continue;
    return Finding{
        .denied = false,
        .id = ids::of_explain("host-names"),
        .sentence = fmt::format("TPU_WORKER_HOSTNAMES of container {} has {} names, but {} with {} "
                                "chips per Pod is one host{}",
                                process.container, count, seen.topology, seen.chips,
                                lws ? ": LeaderWorkerSet writes the names of the whole group" : ""),
        .fix = fixes::Choice{lws ? "use groups of one Pod and more replicas, or a topology with as "
                                   "many hosts as a group has Pods"
                                 : "remove the variable"}};
  }
  return std::nullopt;
}

}  // namespace tpuwh::server::explain
