// The slices of a cluster that are there already, as `slices` and `audit` have them.
#pragma once

#include "kubectl/inspect/slices/owners.hpp"
#include "kubectl/inspect/slices/slice_report.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tpuwh::server::outlook {

struct StandingSlice {
  std::string kind, ns, group;  // as of a Tenant: the topmost that made its Pods
  std::vector<slices::ObjectName> owners;
  std::string part;  // "workers": the replicated job or worker group
  std::optional<std::uint32_t> slice;
  slices::Phase phase = slices::Phase::forming;
  std::vector<std::string> pools;
  std::uint32_t hosts = 1;  // that it needs
  std::uint32_t there = 0;  // Pods that stay
  std::uint32_t bound = 0;  // of these, those with a node
  std::uint32_t done = 0;   // hosts that had a Pod to its good end
  std::uint32_t ended = 0;  // Pods that do not live any more
  bool failed = false;      // one of them, in whose place no other is
  // "Pod ml/a is not scheduled (0/4 nodes are available: ...)"; "" where the scheduler has refused
  // none and none is gated.
  std::string refused;
  std::vector<std::string> errors, warnings;  // checks of `audit`, each once

  bool lives() const { return there > 0; }
  bool whole() const { return there > 0 && bound + done >= hosts; }
};

// In the order of slices::report_slices().
std::vector<StandingSlice> standing_slices(const slices::Cluster& cluster);

// How such a slice is told, around the pools that it stands on: "is bound", ", but does not all
// run".
struct StandingWords {
  std::string begin, end = {};
  bool broken = false;  // nothing comes of it as it is
  bool operator==(const StandingWords&) const = default;
};
StandingWords words_of(const StandingSlice& slice);

}  // namespace tpuwh::server::outlook
