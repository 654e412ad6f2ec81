// A member of a multi-host slice, and what placement writes on it.
#pragma once

#include <string>

#include "tests/support/admitted.hpp"

namespace tpuwh::webhook::placement {

inline const std::string required = "requiredDuringSchedulingIgnoredDuringExecution";
inline const std::string preferred = "preferredDuringSchedulingIgnoredDuringExecution";
inline const std::string pool = "cloud.google.com/gke-nodepool";

// Host 1 of the four of a v6e slice.
inline test::PodBuilder job() {
  return test::a_pod().job("train", 1).on("4x4", 4);
}

}  // namespace tpuwh::webhook::placement
