// Whether a slice is one of several that form one job.
#pragma once

#include "webhook/decide/facts.hpp"
#include "webhook/read/pod.hpp"

namespace tpuwh::webhook::decide {

// Whether this container takes part in a job of several slices: by default
// (JobSet), or because its MEGASCALE_NUM_SLICES says so; an empty one says no.
bool joins_slices(const Facts& facts, const read::Container& container);

// Whether any container of the Pod does.
bool joins_others(const Facts& facts);

}  // namespace tpuwh::webhook::decide
