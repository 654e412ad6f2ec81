// The review that figures are about: a Pod of a two-slice JobSet as the API server
// sends it, about 12 KB (19 variables, 20 labels, affinity of JobSet's, gates,
// managed fields), of reference/floor.md's payload b.
#pragma once

#include <string>

namespace tpuwh::bench {

std::string jobset_review();

// The same Pod in a slice of `hosts` hosts (4, 16, 64, …: v5p shapes up to 1,536).
std::string jobset_review_of(const std::string& topology);

}  // namespace tpuwh::bench
