// How a member of a slice stands: whether it runs, is on its way, has done its work or is lost.
#pragma once

#include "kubectl/inspect/slices/cluster.hpp"

#include <string>

namespace tpuwh::server::slices {

enum class Standing {
  runs,    // its TPU containers run, on a node that is ready
  starts,  // not yet, or not for long: it is pending, started again, being deleted or about to
           // fail and be replaced, or its node is not ready for less time than the Pod tolerates
  done,    // its TPU containers have ended with exit code 0
  lost,    // its node is gone, or not ready for longer than that; or a TPU container has ended
           // otherwise, and is not started again
};

// How long whoever makes Pods may take to replace one (docs/facts.md#pods-that-failed).
inline constexpr std::chrono::minutes time_to_replace(15);
// How long a node may take to be repaired or upgraded (docs/facts.md#node-repair).
inline constexpr std::chrono::minutes time_to_repair(60);

struct HowItStands {
  Standing standing;
  // Of a lost one: "node n-3 was deleted: it is not among the Nodes"; of one that starts, where its
  // node is why.
  std::string why = {};
  bool for_good = false;  // of a lost one: nothing has come of it for longer than any repair takes
};

// Of a Pod that lives (SeenPod::live).
HowItStands how_it_stands(const Cluster& cluster, const SeenPod& pod);

// Whether nobody puts another Pod in the place of this one, which has failed: nothing made it, or
// whatever did has had the time (docs/facts.md#pods-that-failed), or nothing says when it failed.
bool stays_failed(const Cluster& cluster, const SeenPod& pod);

}  // namespace tpuwh::server::slices
