// What this cluster pays, by what a replica says that it has seen of it.
#include "kubectl/inspect/doctor/check.hpp"
#include "kubectl/inspect/doctor/cost.hpp"
#include "kubectl/inspect/doctor/metric_lines.hpp"

#include <cstdint>
#include <optional>

namespace tpuwh::server::doctor {

namespace {

// Nothing where it was not reached, or keeps nothing.
std::optional<ClusterSize> seen_by(const Replica& replica) {
  ClusterSize size;
  for (const MetricLine& line : lines_of(replica, "tpu_webhook_store_objects")) {
    const auto count = static_cast<std::uint64_t>(line.value);
    if (line.resource == "nodes") size.nodes = count;
    if (line.resource == "pods") size.pods = count;
  }
  if (size.nodes == 0) return std::nullopt;
  return size;
}

}  // namespace

void check_cost(const View& view, Checks& out) {
  for (const Replica& replica : view.replicas)
    if (const auto size = seen_by(replica)) return ok(out, "cost", cost_of(*size));
}

}  // namespace tpuwh::server::doctor
