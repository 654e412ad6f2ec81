// Whether a slice is one of several that form one job.
#pragma once

#include "webhook/facts/facts.hpp"
#include "webhook/read/pod.hpp"

namespace tpuwh::webhook::identity {

// Returns whether the Pod takes part in a job of several slices: by default (JobSet), or because
// MEGASCALE_NUM_SLICES of one of its processes asks for it. An empty MEGASCALE_NUM_SLICES is an
// opt-out, which env::settle_sets() finds.
bool joins_slices(const facts::Facts& facts);

}  // namespace tpuwh::webhook::identity
