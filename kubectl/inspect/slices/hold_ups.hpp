// What a slice waits for: of which members, and why each of them does not run.
#pragma once

#include "kubectl/inspect/slices/slice_report.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tpuwh::server::slices {

// Pods of a slice with one reason.
struct HoldUp {
  enum class Kind {
    waits,     // it is to run, and does not
    leaves,    // it is being deleted, for longer than minutes
    replaced,  // it has failed, and another is to have its place
    lost,      // nothing comes of it by itself
  };
  std::vector<const SeenPod*> pods;  // of the Cluster, never none
  Kind kind;
  // "container main is in CrashLoopBackOff (31 restarts, last OOMKilled)",
  // "not scheduled for 3 h (0/9 nodes are available: ...)"
  std::string what;
};
std::string_view name(HoldUp::Kind kind);

// Members that do not run, in the order of their hosts, and Pods that failed and of whose places
// nobody has. None of one of which nothing says why, nor of one that leaves within minutes.
std::vector<HoldUp> hold_ups_of(const Cluster& cluster, const SliceReport& slice);

// " for 35 min", " for 3 h", " for 2 days", in steps of five minutes; "" of less, and where one of
// the two is not known.
std::string for_how_long(const std::optional<Time>& since, const std::optional<Time>& now);

}  // namespace tpuwh::server::slices
