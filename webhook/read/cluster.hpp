// What a decision may ask of the cluster. Without one (offline, or for a workload
// that needs none) every question is answered "not known".
#pragma once

#include "base/name_list.hpp"
#include "webhook/read/pod.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tpuwh::webhook::read {

// A worker group as its RayCluster asks for it.
struct RayGroup {
  std::uint32_t hosts = 0;   // numOfHosts
  std::uint32_t slices = 0;  // replicas, within min and max
};

// A Job of a JobSet, as a follower's labels name it.
struct JobOfJobSet {
  std::string_view ns, jobset, replicated_job, job_index, job_uid;
};

// What a multi-host slice asks of a node pool.
struct PoolQuestion {
  const Pod& pod;  // a member: its node selector, required node affinity and tolerations
  std::string_view accelerator, topology;
  std::uint32_t hosts = 0;           // of the slice
  std::uint32_t chips_per_host = 0;  // that a member asks for
  std::string_view slice_key;        // base::hash()
  std::int32_t priority = 0;         // spec.priority
};

// What it does not override is not known.
class ClusterView {
 public:
  virtual ~ClusterView() = default;

  // Name of the headless Service that KubeRay made for the workers of `cluster`
  // (label ray.io/headless-worker-svc).
  virtual std::optional<std::string> ray_headless_service(std::string_view /*ns*/,
                                                          std::string_view /*cluster*/) const {
    return std::nullopt;
  }

  // Chips that a claim made from this ResourceClaimTemplate asks of device class
  // tpu.google.com; 0 where it asks for other devices alone. Nothing where the template
  // asks for all there are.
  virtual std::optional<std::uint32_t> claimed_chips(std::string_view /*ns*/,
                                                     std::string_view /*template_name*/) const {
    return std::nullopt;
  }

  // The value of node label `topology_key` where the Job's leader runs, which its followers
  // are to select. Nothing before the leader is bound, or where there is not exactly one.
  virtual std::optional<std::string> leader_domain(const JobOfJobSet& /*job*/,
                                                   std::string_view /*topology_key*/) const {
    return std::nullopt;
  }

  // Names of the node pools on which the slice could begin and not be whole
  // (webhook/pools/pools.hpp), each good as the value of a label; none where the pools are not
  // known, or not any more.
  virtual void unfit_pools(const PoolQuestion& /*question*/, base::NameList& out) const {
    out.clear();
  }

  // Nothing if the RayCluster has no such group either.
  virtual std::optional<RayGroup> ray_group(std::string_view /*ns*/, std::string_view /*cluster*/,
                                            std::string_view /*group*/) const {
    return std::nullopt;
  }
};

// Knows nothing.
class NoCluster final : public ClusterView {};

}  // namespace tpuwh::webhook::read
