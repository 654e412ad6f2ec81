#include "webhook/workloads/table.hpp"

#include "webhook/workloads/job.hpp"
#include "webhook/workloads/jobset.hpp"
#include "webhook/workloads/lws.hpp"
#include "webhook/workloads/pod.hpp"
#include "webhook/workloads/ray.hpp"
#include "webhook/workloads/statefulset.hpp"

namespace tpuwh::webhook::workloads {

std::span<const Workload> workloads() {
  static const Workload table[] = {ray_workload, lws_workload,         jobset_workload,
                                   job_workload, statefulset_workload, pod_workload};
  return table;
}

const Workload& workload_of(const read::Pod& pod) {
  for (const Workload& workload : workloads())
    if (workload.claims(pod)) return workload;
  return pod_workload;
}

}  // namespace tpuwh::webhook::workloads
