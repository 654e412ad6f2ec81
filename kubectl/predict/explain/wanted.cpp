#include "kubectl/predict/explain/wanted.hpp"

#include "kubectl/predict/explain/pod_json.hpp"
#include "kubectl/predict/outlook/pod_sets.hpp"
#include "webhook/workloads/table.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tpuwh::server::explain {

namespace {

constexpr auto queue_label = webhook::read::Label::kueue_queue_name;

std::string slice_title(const slices::SeenPod& seen) {
  if (!seen.slice) return {};
  return seen.slice_count > 0 ? fmt::format("slice {} of {}", *seen.slice, seen.slice_count)
                              : fmt::format("slice {}", *seen.slice);
}

}  // namespace

bool makes_its_service(const slices::SeenPod& seen) {
  return !webhook::workloads::row_of(seen.workload).service_by.empty();
}

outlook::WantedWorkload wanted_workload(const Json& object, const std::string& ns) {
  return {.api_version = text::text_member(object, "apiVersion"),
          .kind = text::text_member(object, "kind"),
          .ns = ns,
          .name = text::text_member(at(object, {"metadata"}), "name"),
          .queue = label(object, queue_label),
          .slices = {},
          .pod_sets = {},
          .services = {}};
}

void add_slice(outlook::WantedWorkload& workload, const Json& pod, const slices::SeenPod& seen,
               std::string_view prefix) {
  if (workload.queue.empty()) workload.queue = label(pod, queue_label);
  workload.slices.push_back({.title = slice_title(seen),
                             .accelerator = seen.accelerator,
                             .topology = seen.topology,
                             .part = seen.part,
                             .index = seen.slice,
                             .hosts = std::max(seen.hosts, 1u),
                             .chips_per_host = seen.chips,
                             .by_claim = seen.by_claim,
                             .slice_key = label(pod, std::string(prefix) + "slice-key"),
                             .member = outlook::as_scheduled(pod)});
  const bool named = seen.multi_host() && !seen.subdomain.empty() && !makes_its_service(seen);
  if (named && std::ranges::find(workload.services, seen.subdomain) == workload.services.end())
    workload.services.push_back(seen.subdomain);
}

Result<void> InputObjects::for_each(const Each& each) {
  for (const source::Manifest& manifest : manifests_) {
    const std::string kind = text::text_member(manifest.object, "kind");
    Json object = manifest.object;
    Json& metadata = object["metadata"];
    if (!metadata.is_object()) metadata = Json::object();
    metadata["namespace"] = namespace_of(object, ns_);
    each(kind, object);
  }
  return {};
}

}  // namespace tpuwh::server::explain
