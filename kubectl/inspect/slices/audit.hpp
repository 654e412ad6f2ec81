// What is wrong in a running cluster: slices whose members do not agree on who they are.
//
// What each mistake does: docs/facts.md#wrong-environment; what must hold of a slice:
// tests/invariants/README.md.
#pragma once

#include "kubectl/inspect/slices/finding.hpp"

#include <vector>

namespace tpuwh::server::slices {

// Errors first, each in the order of the slices. `slices` was made of `cluster`.
Audit audit(const Cluster& cluster, const std::vector<SliceReport>& slices);

// The parts. Slices without a living member are passed over.
void check_lost(const SliceReport& slice, Findings& findings);
void check_lost_slices(const std::vector<SliceReport>& slices, Findings& findings);
void check_members(const SliceReport& slice, Findings& findings);
void check_worker_ids(const SliceReport& slice, Findings& findings);
void check_lists(const SliceReport& slice, Findings& findings);
void check_services(const SliceReport& slice, Findings& findings);
void check_driver(const SliceReport& slice, Findings& findings);
void check_pools(const std::vector<SliceReport>& slices, Findings& findings);
void check_strays(const std::vector<SliceReport>& slices, Findings& findings);
void check_jobs(const std::vector<SliceReport>& slices, Findings& findings);
void check_tpu_names(const std::vector<SliceReport>& slices, Findings& findings);

// A member of a multi-host slice without any of what says so.
bool is_unmutated(const SeenPod& pod);

}  // namespace tpuwh::server::slices
