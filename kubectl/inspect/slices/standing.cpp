#include "kubectl/inspect/slices/standing.hpp"

#include "base/names.hpp"
#include "webhook/pools/fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace tpuwh::server::slices {

namespace {

using base::printable;
using std::chrono::seconds;

constexpr std::size_t longest_name = 253;

// How long the Pod stays on a node that is not ready; nothing: without end.
std::optional<seconds> patience_of(const SeenPod& pod) {
  std::optional<seconds> shortest;
  for (const std::string_view key : webhook::pools::unready_taints) {
    const webhook::pools::Taint taint{.key = std::string(key), .value = {}, .no_execute = true};
    std::optional<seconds> here = seconds(0);
    for (const SeenToleration& each : pod.tolerations) {
      const webhook::read::Toleration toleration{each.key, each.op, each.value, each.effect};
      if (!webhook::pools::tolerates({&toleration, 1}, taint)) continue;
      here = each.time;
      break;
    }
    if (here && (!shortest || *here < *shortest)) shortest = here;
  }
  return shortest;
}

HowItStands on_its_node(const Cluster& cluster, const SeenPod& pod) {
  const auto* node = cluster.node_of(pod);
  if (node == nullptr && !pod.node.empty() && cluster.knows_nodes())
    return {Standing::lost, fmt::format("node {} was deleted: it is not among the Nodes",
                                        printable(pod.node, longest_name))};
  if (node == nullptr || node->ready) return {Standing::runs};
  const auto since = cluster.not_ready_since.find(pod.node);
  const auto patience = patience_of(pod);
  const std::string name = printable(pod.node, longest_name);
  const HowItStands passes{Standing::starts, fmt::format("node {} is not ready", name)};
  if (since == cluster.not_ready_since.end() || !cluster.now || !patience) return passes;
  const auto age = std::chrono::floor<seconds>(*cluster.now - since->second);
  if (age < *patience) return passes;
  return {Standing::lost,
          fmt::format("node {} has not been ready for {} s, and the Pod tolerates {} s", name,
                      age.count(), patience->count()),
          age > time_to_repair};
}

// Whether the Pod fails now that this container has, and has had the time for a successor.
bool is_about_to_fail(const Cluster& cluster, const SeenPod& pod, const TpuProcess& ended) {
  const auto runs = [](const TpuProcess& each) { return !each.exit_code; };
  if (pod.owners.empty() || !pod.beside.empty() || std::ranges::any_of(pod.processes, runs))
    return false;
  return ended.ended && cluster.now && *cluster.now - *ended.ended <= time_to_replace;
}

// Of a Pod whose containers have been started.
HowItStands by_its_processes(const Cluster& cluster, const SeenPod& pod) {
  std::size_t done = 0;
  for (const TpuProcess& each : pod.processes) {
    if (each.exit_code.value_or(0) != 0)
      return {is_about_to_fail(cluster, pod, each) ? Standing::starts : Standing::lost,
              fmt::format("container {} has ended with exit code {} and is not started again",
                          printable(each.container, longest_name), *each.exit_code)};
    done += each.exit_code ? 1 : 0;
  }
  if (done > 0 && done == pod.processes.size()) return {Standing::done};
  const bool waits = std::ranges::any_of(pod.processes, &TpuProcess::waits);
  return {waits ? Standing::starts : Standing::runs};
}

}  // namespace

HowItStands how_it_stands(const Cluster& cluster, const SeenPod& pod) {
  if (pod.life == Life::pending) return {Standing::starts};
  const HowItStands processes = by_its_processes(cluster, pod);
  const bool ended = processes.standing == Standing::lost || processes.standing == Standing::done;
  // Of one that is being deleted a code says how it took the signal.
  if (ended && !pod.terminating) return processes;
  HowItStands node = on_its_node(cluster, pod);
  if (node.standing != Standing::runs) return node;
  if (pod.life == Life::unknown)
    return {Standing::starts, "its state is not known (phase Unknown)"};
  return pod.terminating ? HowItStands{Standing::starts} : processes;
}

bool stays_failed(const Cluster& cluster, const SeenPod& pod) {
  if (pod.owners.empty() || !pod.failed || !cluster.now) return true;
  return *cluster.now - *pod.failed > time_to_replace;
}

}  // namespace tpuwh::server::slices
