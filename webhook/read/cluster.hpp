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

// What a claim of a Pod is made from, a ResourceClaimTemplate, or which ResourceClaim it is.
struct ClaimSource {
  std::string_view ns, name;
  bool made = false;  // from a template
  // True if `name` is a resource, for which the scheduler makes the claim when a container asks for
  // the resource. The claim then describes one device.
  bool resource = false;

  bool operator==(const ClaimSource&) const = default;
};

// What a claim asks for, as far as chips are concerned.
struct Claimed {
  enum class Known {
    no,          // not whether it is for chips; with `why`, for how many
    unread,      // the API server can say, and is to be asked before the Pod is answered
    unreadable,  // it was asked in vain: `why`, a sentence, and whether to ask `again` at once
    chips,       // of the TPU DRA driver; 0 where the claim is for other devices alone, as far as
                 // their classes are known: `why`
  };
  Known known = Known::no;
  std::uint32_t chips = 0;
  bool all = false;           // all that a node has, instead of a number
  bool alternatives = false;  // what all have in common of which the Pod gets one
  // Of the nodes that its selectors leave, as a node label has it; "" where they do not say.
  std::string accelerator = {}, topology = {};
  std::string why = {};  // "asks for ...", behind the claim's name
  bool again = false;

  bool operator==(const Claimed&) const = default;
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

  virtual Claimed claimed(const ClaimSource& /*source*/) const { return {}; }

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
