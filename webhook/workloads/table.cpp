#include "webhook/workloads/table.hpp"

#include "webhook/workloads/job.hpp"
#include "webhook/workloads/jobset.hpp"
#include "webhook/workloads/lws.hpp"
#include "webhook/workloads/pod.hpp"
#include "webhook/workloads/ray.hpp"
#include "webhook/workloads/statefulset.hpp"

#include <algorithm>

namespace tpuwh::webhook::workloads {

std::span<const Workload> workloads() {
  static const Workload table[] = {ray_workload, lws_workload,         jobset_workload,
                                   job_workload, statefulset_workload, pod_workload};
  return table;
}

const Workload& row_of(config::WorkloadKind kind) {
  return *std::ranges::find(workloads(), kind, &Workload::kind);
}

const Workload& row_of(std::string_view name) {
  const auto found = std::ranges::find(workloads(), name, &Workload::name);
  return found == workloads().end() ? workloads().back() : *found;
}

std::optional<Checked> find_object(std::string_view group, std::string_view kind) {
  for (const Workload& workload : workloads())
    for (const ObjectKind& object : workload.objects)
      if (object.kind == kind && object.group == group) return Checked{&workload, &object};
  return std::nullopt;
}

bool is_checked(std::string_view kind) {
  return std::ranges::any_of(workloads(), [&](const Workload& workload) {
    return std::ranges::find(workload.objects, kind, &ObjectKind::kind) != workload.objects.end();
  });
}

std::string filled(std::string_view pattern, std::string_view name, std::string_view part,
                   std::string_view index) {
  std::string out;
  while (!pattern.empty()) {
    const std::size_t open = std::min(pattern.find('{'), pattern.size());
    const std::size_t close = pattern.find('}', open);
    out += pattern.substr(0, open);
    if (close == pattern.npos) break;
    const std::string_view place = pattern.substr(open + 1, close - open - 1);
    out += place == "name" ? name : place == "part" ? part : index;
    pattern.remove_prefix(close + 1);
  }
  return out;
}

const Workload& workload_of(const read::Pod& pod) {
  for (const Workload& workload : workloads())
    if (workload.claims(pod)) return workload;
  return pod_workload;
}

}  // namespace tpuwh::webhook::workloads
