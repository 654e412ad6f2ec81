#include "webhook/workloads/table.hpp"

#include "webhook/workloads/job.hpp"
#include "webhook/workloads/jobset.hpp"
#include "webhook/workloads/pod.hpp"
#include "webhook/workloads/ray.hpp"

namespace tpuwh::webhook {

void HostNames::append_slice(Buffer& out, std::uint32_t slice) const {
  out.append(stem);
  if (!stem2.empty()) out.add('-', stem2);
  if (with_slice) out.add('-', slice);
}

void HostNames::append(Buffer& out, std::uint32_t slice, std::uint32_t host) const {
  append_slice(out, slice);
  out.add('-', host);
}

std::size_t HostNames::size(std::uint32_t slice, std::uint32_t host) const {
  return stem.size() + (stem2.empty() ? 0 : 1 + stem2.size()) +
         (with_slice ? 1 + decimal_digits(slice) : 0) + 1 + decimal_digits(host);
}

std::span<const Workload> workloads() {
  static const Workload table[] = {ray_workload, jobset_workload, job_workload, pod_workload};
  return table;
}

const Workload& workload_of(const Pod& pod) {
  for (const Workload& workload : workloads())
    if (workload.claims(pod)) return workload;
  return pod_workload;
}

}  // namespace tpuwh::webhook
