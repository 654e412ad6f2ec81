// How many Pods a controller makes of an object: numbers as they were written in, numbers out. The
// one place for it: validation, what is shown offline and the store of a cluster ask here (D23).
#pragma once

#include <cstdint>
#include <optional>

namespace tpuwh::webhook::controllers {

// As somebody wrote it; nothing where it is absent or null. A negative one is 0.
using Number = std::optional<std::uint64_t>;

// Absent `replicas` of a replicated job, a LeaderWorkerSet, a StatefulSet, a Deployment: 1, by
// each API's defaults; absent `size` of a LeaderWorkerSet's group too.
std::uint64_t one_or(Number written);

struct JobNumbers {
  Number completions = {}, parallelism = {};
  bool indexed = false;  // completionMode: Indexed
};

// Pods at a time, and for an Indexed Job all that it makes. 0 where parallelism is 0, which holds
// it.
//
//   source  kubernetes pkg/controller/job, pkg/apis/batch/v1/defaults.go, v1.36.3
std::uint64_t job_pods(const JobNumbers& job);

struct RayGroupNumbers {
  Number replicas = {}, least = {}, most = {}, hosts = {};
  bool suspended = false;   // the group or its cluster
  bool autoscaled = false;  // the cluster's enableInTreeAutoscaling
};

// Replicas of a worker group: now, and between which bounds KubeRay's autoscaler may take them. The
// upper bound wins over the lower one (1.6 and later refuse such a group: refusals_of_ray_group).
// None while it is suspended.
//
//   source  kuberay ray-operator/controllers/ray/utils/util.go GetWorkerGroupDesiredReplicas,
//           defaults of the CRD, v1.5.1, v1.6.2
struct Replicas {
  std::uint64_t now, least, most;
};
Replicas ray_replicas(const RayGroupNumbers& group);

// Pods of one replica.
std::uint64_t ray_hosts(const RayGroupNumbers& group);

}  // namespace tpuwh::webhook::controllers
