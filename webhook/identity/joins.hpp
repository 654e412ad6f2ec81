// Whether a slice is one of several that form one job.
#pragma once

#include "webhook/facts/facts.hpp"
#include "webhook/read/pod.hpp"

namespace tpuwh::webhook::identity {

// Whether this container takes part in a job of several slices: by default
// (JobSet), or because its MEGASCALE_NUM_SLICES says so; an empty one says no.
bool joins_slices(const facts::Facts& facts, const read::Container& container);

// Whether any container of the Pod does.
bool joins_others(const facts::Facts& facts);

}  // namespace tpuwh::webhook::identity
