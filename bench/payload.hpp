// The reviews that figures are about, as a real API server sent them (tests/golden/recorded).
#pragma once

#include <string>
#include <string_view>

namespace tpuwh::bench {

// A Pod of a two-slice 4x4 JobSet that Kueue admitted, with its affinity, managed fields and
// a script in the command: the leader of slice 0.
std::string jobset_review();

// The same Pod in a v5p slice of this topology (2x2x2 to 16x16x24: up to 1,536 hosts).
std::string jobset_review_of(const std::string& topology);

// Returns the payload with this name, the review of one Pod: one for each workload API, and two
// that are larger. Throws std::runtime_error for another name.
//
//   jobset       the Pod of jobset_review()
//   ray          a worker of a RayCluster that has KubeRay's index labels
//   lws          the leader of a group of a LeaderWorkerSet
//   job          a Pod of an Indexed Job on two hosts
//   statefulset  a Pod of a StatefulSet
//   pod          a Pod without a controller
//   long         the Pod of jobset with annotations of 44 KB, for which no release is optimized
//   large        the Pod of jobset with 150 variables and three copies of itself as annotations
std::string payload(std::string_view name);

}  // namespace tpuwh::bench
