// Everything that a settled member gets: env, host name, labels, affinity and the record of it.
#pragma once

#include "webhook/decide/around.hpp"
#include "webhook/decide/kept.hpp"
#include "webhook/decide/told.hpp"
#include "webhook/outcome/decision.hpp"

namespace tpuwh::webhook::decide {

// Writes told.patch by told.facts. Applied twice, the second time writes nothing.
//
//   returns  patched, unchanged, or denied where a variable or a name would be too long
outcome::Decision write_member(const Around& around, Kept& kept, Told& told);

}  // namespace tpuwh::webhook::decide
