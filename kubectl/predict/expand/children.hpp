// What controllers make of a workload object on the way to its Pods, as they send it: for a cluster
// that need not exist, and in the versions of expand.hpp.
#pragma once

#include "kubectl/predict/expand/expand.hpp"
#include "server/text/json.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace tpuwh::server::expand {

// Its owner is who makes it.
struct Child {
  Json object;
  std::uint64_t count = 1;  // of them, which differ in names and indices alone: this is the first
  bool may_exist = false;   // its controller takes one of this name that is there
};

struct Children {
  std::vector<Child> list = {};          // what makes another one of them is before it
  std::vector<std::string> others = {};  // kinds of what is made as well, and is not here
};

// The Jobs, Services, StatefulSets, ReplicaSets and RayClusters that come of `object`: none of a
// Job. What only a running cluster gives out is as in its Pods.
//
//   one of many  of each replicated job, and of the workers of a LeaderWorkerSet's groups
//   left out     what controllers note for themselves: hashes, revisions of Deployments, times
//   errors       as for_each_pod(); nothing comes of what makes no Pods
Result<Children> children_of(const Json& object, const ExpandOptions& options);

}  // namespace tpuwh::server::expand
