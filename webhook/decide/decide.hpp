// From a Pod to what should become of it: the one place where workload, shape,
// arithmetic, environment and placement come together.
#pragma once

#include "webhook/config/config.hpp"
#include "webhook/decide/around.hpp"
#include "webhook/decide/kept.hpp"
#include "webhook/decide/told.hpp"
#include "webhook/outcome/decision.hpp"
#include "webhook/read/review.hpp"

namespace tpuwh::webhook::decide {

// The Pod asks for something that is not a whole number of chips: denied, as the API
// server would do after us. It was not read to its end, so that its workload API is not
// known and the mode is that of the whole.
outcome::Decision deny_quantity(Error why, const read::Review& review, const config::Config& config,
                                Told& told);

// Warns of what a decision that is not carried out would have been.
void note_shadow(const outcome::Decision& decision, Told& told);

// Whether the answer depends on what the Pod's claims ask for.
bool waits_for_claims(const read::Review& review, const read::Pod& pod,
                      const config::Config& config);

bool is_shadowed(const read::Pod& pod, const config::Config& config);
// It does, and around.claims says that one could not be read.
outcome::Decision defer_for_claims(const read::Pod& pod, const Around& around, Told& told);

// Decides about one review that was read. The patch is told.patch, empty unless
// the outcome is `patched`; warnings are told.notes. Who the Pod is, told.member and told.facts
// say, and what it asks for told.shape.
outcome::Decision decide(const read::Review& review, const read::Pod& pod, const Around& around,
                         Kept& kept, Told& told);

}  // namespace tpuwh::webhook::decide
