// Chips by claim: whether their driver takes a node for what its Pod is of, since its variables
// replace those of the Pod (docs/facts.md#whose-value-wins).
#include "base/counted.hpp"
#include "kubectl/inspect/slices/audit.hpp"
#include "kubectl/inspect/slices/driven_nodes.hpp"
#include "kubectl/inspect/slices/recreate.hpp"

#include <fmt/format.h>

namespace tpuwh::server::slices {

namespace {

const DrivenNode* driven(const Cluster& cluster, const SeenPod& pod) {
  return find_driven(cluster.driven, pod.node);
}

std::string fix_of(const SliceReport& slice) {
  return fmt::format(
      "label the nodes tpu.google.com/topology={}, delete the driver's Pods on them "
      "so that it reads the label, then {}",
      slice.staying.front()->topology, restart_hint(slice));
}

}  // namespace

void check_driver(const SliceReport& slice, Findings& findings) {
  std::vector<const SeenPod*> alone, other, not_known;
  for (const SeenPod* pod : slice.staying) {
    if (!pod->by_claim || pod->node.empty() || pod->topology.empty()) continue;
    switch (taken_for(driven(findings.cluster(), *pod), pod->topology, pod->multi_host())) {
      case Taken::alone:
        alone.push_back(pod);
        break;
      case Taken::other:
        other.push_back(pod);
        break;
      case Taken::not_known:
        not_known.push_back(pod);
        break;
      case Taken::same:
        break;
    }
  }
  if (!alone.empty())
    findings.error(
        "driver-differs", slice, alone,
        fmt::format("{} and writes TPU_WORKER_ID=0 and TPU_WORKER_HOSTNAMES=localhost over the "
                    "Pod's own: {} of {} {} worker 0 of one host",
                    described(alone.front()->node, *driven(findings.cluster(), *alone.front())),
                    alone.size(), base::counted(slice.hosts, "host"),
                    alone.size() == 1 ? "is" : "are each"),
        fix_of(slice));
  if (!other.empty())
    findings.error(
        "driver-differs", slice, other,
        fmt::format("{} and writes its TPU_TOPOLOGY and bounds over the Pod's own; expected {}",
                    described(other.front()->node, *driven(findings.cluster(), *other.front())),
                    slice.staying.front()->topology),
        other.front()->placed_by_others ? "ask for google.com/tpu: the driver knows no sub-slices"
                                        : fix_of(slice));
  if (!not_known.empty() && slice.multi_host())
    findings.not_known(fmt::format(
        "{}: what the driver of claims takes {} of {} for, and so which TPU_WORKER_ID {} in the "
        "containers: no ResourceSlice says it",
        slice.full_name(), not_known.size() == 1 ? "the node" : "the nodes", names_of(not_known),
        not_known.size() == 1 ? "is" : "are"));
}

}  // namespace tpuwh::server::slices
