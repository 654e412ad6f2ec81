// Who holds chips: slices and chips, counted by namespace or by a label of the Pods.
#pragma once

#include "kubectl/inspect/slices/slice_report.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace tpuwh::server::slices {

inline constexpr std::array all_phases = {Phase::running, Phase::forming, Phase::broken,
                                          Phase::ended};

// One number for each phase.
class ByPhase {
 public:
  std::uint64_t& operator[](Phase phase) { return numbers_[static_cast<std::size_t>(phase)]; }
  std::uint64_t operator[](Phase phase) const { return numbers_[static_cast<std::size_t>(phase)]; }
  std::uint64_t sum() const;

 private:
  std::array<std::uint64_t, all_phases.size()> numbers_ = {};
};

struct Counts {
  ByPhase slices;
  // Chips that Pods on a node ask for, by the phase of their slice; also of Pods that are being
  // deleted. A Pod that has ended holds none.
  ByPhase held;
  std::uint64_t waiting = 0;  // chips of Pods that wait for a node
};

struct TallyRow {
  std::optional<std::string> value;  // nothing: of Pods that have none; in a total
  std::string accelerator;           // "" where neither the Pod nor its node says it
  Counts counts;
};

struct Tally {
  std::vector<TallyRow> rows;    // by value, those without one at the end; then by accelerator
  std::vector<TallyRow> totals;  // one for each accelerator
  Counts total;
  // Their Pods are of several rows: counted in each of them, and once in the totals.
  std::uint64_t slices_in_several = 0;
};

// What a Pod is counted under.
using ValueOf = std::function<std::optional<std::string>(const SeenPod& pod)>;

//   accelerator  of the node's label, where the node is known; else what the Pod selects
Tally tally_of(const Cluster& cluster, const std::vector<SliceReport>& slices,
               const ValueOf& value_of);

}  // namespace tpuwh::server::slices
