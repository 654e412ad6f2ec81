// How long a connection lasts without an answer: what follows from the limits of limits.hpp.
#pragma once

#include "server/limits/limits.hpp"

namespace tpuwh::server::limits {

// From one answer to the next, or from a connection's begin: whatever it waits for, and whoever
// keeps it waiting. All waits between the two at their longest; nothing excuses more.
inline constexpr Duration between_answers = idle + header + body + answer + write;

}  // namespace tpuwh::server::limits
