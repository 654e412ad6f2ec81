// Reading spec.affinity: enough to add terms beside what is there, to recognise
// our own, and to see where the user pinned the Pod.
#pragma once

#include "webhook/read/pod.hpp"

#include <span>

namespace tpuwh::webhook::read {

// Reads the value of spec.affinity into `pod`.
bool read_affinity(base::json::Reader& in, Pod& pod);

// Those of all terms of required node affinity, in their order.
std::span<const Requirement> node_requirements(const Pod& pod);

// The one value to which required node affinity pins `key`: every term says
// "In" with exactly this value (terms are ORed, so one that does not leaves the
// Pod free). "" if it does not.
std::string_view pinned_value(const Pod& pod, std::string_view key);

// Whether no term of required node affinity leaves a node with this label; terms are ORed. False
// where there is none.
bool node_affinity_excludes(const Pod& pod, const Selector& label);

// Whether any requirement of required node affinity names a key with this prefix.
bool node_affinity_mentions(const Pod& pod, std::string_view key_prefix);

}  // namespace tpuwh::webhook::read
