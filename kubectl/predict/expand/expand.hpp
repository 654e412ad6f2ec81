// The Pods that the controllers would make of a workload object, as the API server would send each
// of them to this webhook: for a cluster that need not exist.
//
// A Pod is what its controller sends, and what the controller's own mutating webhook (JobSet's,
// LeaderWorkerSet's: their configurations sort before ours) makes of it: metadata and spec with
// hostname, subdomain, variables, affinity, init containers, probes, volumes. What is not here:
//
//   defaults       of the API server and its admission plugins (restartPolicy, tolerations, the
//                  service account's volume, requests that equal limits, spec.priority)
//   the cluster's  what follows from a node: the selector of a follower of a JobSet with exclusive
//                  topology, and of a worker of a LeaderWorkerSet with one, is added when its
//                  leader is bound. A follower stands here as its controller sends it first, which
//                  JobSet's validating webhook refuses until then
//   other hands    Kueue, Volcano, quota, another operator's webhooks; a PriorityClass but the two
//                  that every cluster has counts as 0 in JobSet's priority label
//
// Versions: Kubernetes v1.37.2, JobSet v0.12.0, LeaderWorkerSet v0.9.0, KubeRay v1.6.2, with the
// feature gates that are on by default in them. tests/golden/expand holds each Pod to the recorded
// reviews of these.
//
// Placeholders: what only a running cluster gives out has the form that it gives it, and is made of
// namespace, kind and name, so that one object always gives the same Pods. A uid is 32 hex digits,
// 8-4-4-4-12; a random suffix has 5 letters and digits of those that Kubernetes uses; the hashes
// of a Pod template (pod-template-hash, controller-revision-hash, template-revision-hash) have 10.
// The Job of a CronJob ends in 8 digits, as if in minutes since 1970.
#pragma once

#include "base/result.hpp"
#include "server/text/json_text.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace tpuwh::server::expand {

struct ExpandOptions {
  std::string ns = "default";  // of objects that name none
  // Whether KubeRay writes its index labels: feature RayMultiHostIndexing, off by default in v1.5,
  // on from v1.6.
  bool ray_indices = false;
  // Of what is scaled to none, the Pods of one replica, and of a suspended worker group too: what
  // they will be. pod_count() does not count these.
  bool at_least_one = false;
};

// Whether `object` is a Pod or makes Pods, by apiVersion and kind: Job, CronJob, JobSet,
// RayCluster, RayJob, RayService, LeaderWorkerSet, StatefulSet, Deployment, ReplicaSet, and what
// the workload table says all about. A version of an API group is not looked at. A List is none:
// its items are.
bool makes_pods(const Json& object);
// Those that people write, for a sentence: "Job", ..., "Pod".
std::vector<std::string> read_kinds();

// How many Pods it makes, without making one. Absent numbers are what the API server or the
// controller takes them for; of hostile ones the sum ends at the largest number, a negative one is
// 0. Where for_each_pod succeeds, it calls as many times. 0 for what makes no Pods.
std::uint64_t pod_count(const Json& object);

// Between what numbers an autoscaler may take the workers of a RayCluster, or of what makes one;
// nothing for another object, and where nobody scales.
struct PodRange {
  std::uint64_t least = 0, most = 0;
  bool bounded = true;  // maxReplicas is set everywhere
};
std::optional<PodRange> autoscaled_pods(const Json& object);

// A name that only a running cluster gives out, as for_each_pod() makes it up, and how it is shown:
// "train-x1y2z", "train-*". Of generateName, of the RayCluster of a RayJob or RayService, of the
// Job of a CronJob; a name stands before those that it begins with.
struct MadeUpName {
  std::string name, shown;
};
std::vector<MadeUpName> made_up_names(const Json& object, const ExpandOptions& options);

// Calls `each` for every Pod, until it returns false. A Pod lives as long as the call: memory does
// not grow with their number, and each costs a copy of its template at most.
//
//   order   as controllers create them: by replicated job, Job and index; by ordinal; of a
//           LeaderWorkerSet by group, leader first; of Ray the head, workers by group, replica
//           and host, then the Pod that submits a RayJob
//   runs    a suspended Job, JobSet or RayJob is expanded as if it ran; a suspended worker group of
//           Ray has no Pods. A Job that is not Indexed makes as many Pods as run at a time
//   errors  bad_value: something is missing, a number is negative or above 2^31-1, the list of host
//           names of a LeaderWorkerSet would be larger than any object may be; wrong_type. With
//           the path of what is wrong ("spec.template", "is missing"), and before the first
//           call, but for that list. What the API server would refuse for another reason is not
//           looked for
//   depth   `object` is nested no deeper than server/text parses: 64 levels
Result<void> for_each_pod(const Json& object, const ExpandOptions& options,
                          const std::function<bool(const Json& pod)>& each);

}  // namespace tpuwh::server::expand
