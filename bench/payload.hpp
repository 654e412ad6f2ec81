// The review that figures are about: a Pod of a two-slice 4x4 JobSet that Kueue
// admitted, with its affinity, managed fields and a script in the command, as a real API
// server sent it (tests/golden/recorded).
#pragma once

#include <string>

namespace tpuwh::bench {

std::string jobset_review();

// The same Pod in a v5p slice of this topology (2x2x2 to 16x16x24: up to 1,536 hosts).
std::string jobset_review_of(const std::string& topology);

}  // namespace tpuwh::bench
