// Whether ResourceQuotas hold all Pods of a manifest: each by itself may fit, and not their sum.
#pragma once

#include "server/tools/predict/trial/samples.hpp"

#include <string>
#include <vector>

namespace tpuwh::server::trial {

// A sentence for each quota that the sum exceeds: "ResourceQuota compute: the Pods ask together for
// 16 of requests.google.com/tpu, and 8 of 12 are used". One with scopes is left out: which Pods it
// counts depends on more than is known here.
std::vector<std::string> exceeded(const std::vector<Json>& quotas, const Amounts& sums);

}  // namespace tpuwh::server::trial
