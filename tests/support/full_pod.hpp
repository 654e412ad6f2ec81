// A Pod in which every field that decisions read is present and well-formed.
#pragma once

#include <nlohmann/json.hpp>

namespace tpuwh::test {

// A JobSet member with labels of every API, each kind of affinity with a term of the
// user's, two TPU containers on tpu7x with every variable set, a sidecar and an init
// container. A review of it is in review_of().
nlohmann::json full_pod();

}  // namespace tpuwh::test
