// Why the node pool on which a slice has begun cannot hold the rest of it.
#pragma once

#include "kubectl/inspect/slices/slice_report.hpp"

#include <map>
#include <string_view>
#include <vector>

namespace tpuwh::server::slices {

// The nodes of each pool and who is on them, gathered once for all slices of a Cluster, which must
// outlive it.
class PoolTroubles {
 public:
  explicit PoolTroubles(const Cluster& cluster);

  PoolTrouble of(const SliceReport& slice) const;

 private:
  struct Place {
    const webhook::pools::Node* node;
    std::vector<const SeenPod*> pods;  // that stay
  };
  std::map<std::string_view, std::vector<Place>> pools_;
};

}  // namespace tpuwh::server::slices
