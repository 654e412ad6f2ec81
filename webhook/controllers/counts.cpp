#include "webhook/controllers/counts.hpp"

#include <algorithm>
#include <limits>

namespace tpuwh::webhook::controllers {

std::uint64_t one_or(Number written) {
  return written.value_or(1);
}

std::uint64_t job_pods(const JobNumbers& job) {
  const std::uint64_t parallelism = one_or(job.parallelism);
  const std::uint64_t completions = job.completions.value_or(parallelism);
  if (parallelism == 0) return 0;
  return job.indexed ? completions : std::min(parallelism, completions);
}

Replicas ray_replicas(const RayGroupNumbers& group) {
  if (group.suspended) return {};
  const std::uint64_t least = group.least.value_or(0);
  const std::uint64_t most = group.most.value_or(std::numeric_limits<std::int32_t>::max());
  const std::uint64_t now = std::min(most, std::max(least, group.replicas.value_or(0)));
  if (!group.autoscaled) return {now, now, now};
  return {now, std::min(least, most), most};
}

std::uint64_t ray_hosts(const RayGroupNumbers& group) {
  return one_or(group.hosts);
}

}  // namespace tpuwh::webhook::controllers
