// Whether ResourceQuotas hold all that a manifest makes: each by itself may fit, and not the sum.
#pragma once

#include "kubectl/predict/trial/amounts.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace tpuwh::server::trial {

// So many objects that take the same of a quota.
struct Demand {
  std::string kind;  // "Pod", "Job"
  Json object;       // as it would be stored
  Amounts each;
  std::uint64_t count = 1;
  bool counted =
      false;  // a dry run of one has come as far as quotas, so that one by itself is told
};

// "all 4 Pods" of a namespace, "all 3 Services"; and why not.
struct Exceeded {
  std::string what, sentence;
};

// A row for each resource of a quota that the sum exceeds: "ResourceQuota compute: the Pods ask
// together for 16 of requests.google.com/tpu, and 8 of 12 are used". A quota with scopes counts the
// Pods that have them (scopes.hpp).
std::vector<Exceeded> exceeded(std::span<const Json> quotas, std::span<const Demand> demands);

}  // namespace tpuwh::server::trial
