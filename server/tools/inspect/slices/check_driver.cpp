// Chips by claim: whether their driver takes a node for what its Pod is of, since its variables
// replace those of the Pod (docs/facts.md#whose-value-wins).
#include "base/counted.hpp"
#include "base/names.hpp"
#include "server/tools/inspect/slices/audit.hpp"
#include "server/tools/inspect/slices/recreate.hpp"
#include "topology/dims.hpp"

#include <fmt/format.h>

#include <optional>

namespace tpuwh::server::slices {

namespace {

enum class Taken {
  same,
  alone,  // for a slice of its own, of one host
  other,  // for a part of another slice
  not_known
};

// Whose node the driver knows, as it describes it.
Taken taken(const SeenPod& pod, const DrivenNode* node) {
  const auto wanted = topology::Dims::parse(pod.topology);
  if (node == nullptr || node->chips == 0 || !wanted) return Taken::not_known;
  const auto found = topology::Dims::parse(node->topology);
  if (!found) return Taken::not_known;
  if (pod.multi_host() && found->chips() == node->chips) return Taken::alone;
  return *found == *wanted ? Taken::same : Taken::other;
}

const DrivenNode* driven(const Cluster& cluster, const SeenPod& pod) {
  const auto found = cluster.driven.find(pod.node);
  return found == cluster.driven.end() ? nullptr : &found->second;
}

std::string fix_of(const SliceReport& slice) {
  return fmt::format(
      "label the nodes tpu.google.com/topology={}, delete the driver's Pods on them "
      "so that it reads the label, then {}",
      slice.staying.front()->topology, restart_hint(slice));
}

// What a node whose driver describes it so makes of its Pod.
std::string described(const SeenPod& pod, const DrivenNode& node) {
  return fmt::format("the driver of claims takes node {} for {} of {}", pod.node,
                     base::counted(node.chips, "chip"), base::printable(node.topology));
}

}  // namespace

void check_driver(const SliceReport& slice, Findings& findings) {
  std::vector<const SeenPod*> alone, other, not_known;
  for (const SeenPod* pod : slice.staying) {
    if (!pod->by_claim || pod->node.empty() || pod->topology.empty()) continue;
    switch (taken(*pod, driven(findings.cluster(), *pod))) {
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
                    described(*alone.front(), *driven(findings.cluster(), *alone.front())),
                    alone.size(), base::counted(slice.hosts, "host"),
                    alone.size() == 1 ? "is" : "are each"),
        fix_of(slice));
  if (!other.empty())
    findings.error(
        "driver-differs", slice, other,
        fmt::format("{} and writes its TPU_TOPOLOGY and bounds over the Pod's own; expected {}",
                    described(*other.front(), *driven(findings.cluster(), *other.front())),
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
