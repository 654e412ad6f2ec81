// Everything that a settled member gets: env, host name, labels, affinity and the record of it.
#pragma once

#include "webhook/decide/around.hpp"
#include "webhook/decide/scratch.hpp"
#include "webhook/outcome/decision.hpp"

namespace tpuwh::webhook::decide {

// Writes scratch.patch by scratch.facts. Applied twice, the second time writes nothing.
//
//   returns  patched, unchanged, or denied where a variable or a name would be too long
outcome::Decision write_member(const Around& around, Scratch& scratch);

}  // namespace tpuwh::webhook::decide
