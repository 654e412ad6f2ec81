// The Pods of a worker group, as a watch or a list shows them.
#pragma once

#include "topology/next_member.hpp"

#include <optional>
#include <string>
#include <unordered_map>

namespace tpuwh::webhook::ledger {

// A Pod of the group that has not ended.
struct GroupPod {
  std::string token;                     // "" for none
  std::optional<topology::Place> place;  // by KubeRay's labels, another injector, or the token
  bool leaving = false;                  // has a deletionTimestamp
};
using GroupPods = std::unordered_map<std::string, GroupPod>;  // by uid

}  // namespace tpuwh::webhook::ledger
