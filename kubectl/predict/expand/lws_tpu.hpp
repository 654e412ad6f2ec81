// The TPU variables that LeaderWorkerSet's webhook sets.
//   source  kubernetes-sigs/lws pkg/utils/accelerators/tpu.go, v0.9.0
#pragma once

#include "kubectl/predict/expand/reading.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace tpuwh::server::expand {

bool requests_tpus(const Json& pod_spec);

// Which Pods of a group are the hosts of one slice: the leader, if it is one, and the workers from
// `first` to `last`, none where first > last.
struct Hosts {
  std::string leader, subdomain;
  bool with_leader = false;
  std::uint64_t first = 1, last = 0;
  bool operator==(const Hosts&) const = default;
};

// The lists for the containers of a Pod; they are the same for all Pods of the slice that have the
// same containers, so the last ones are kept.
class TpuLists {
 public:
  // Sets the variables of `pod`, unless somebody has set one of them.
  //
  //   subgroup  the first TPU container alone has a process
  //   position  of this host among the hosts
  //   errors    bad_value where the lists would be larger than any object may be
  Result<void> set(Json& pod, const Hosts& hosts, bool subgroup, std::int64_t position);

 private:
  Result<void> write(const Hosts& hosts, const std::vector<std::string>& ports);

  Hosts hosts_;
  std::vector<std::string> ports_;
  std::string names_, addresses_;
};

}  // namespace tpuwh::server::expand
