// NetworkPolicies of an input that keep members of a slice from reaching each other.
#pragma once

#include "kubectl/inspect/source/manifests.hpp"
#include "kubectl/predict/explain/explanation.hpp"
#include "kubectl/predict/network/networks.hpp"

#include <span>
#include <string>
#include <vector>

namespace tpuwh::server::explain {

// `ns`: of those that name none.
std::vector<network::Policy> network_policies(std::span<const source::Manifest> manifests,
                                              const std::string& ns);

// One for what members cannot receive, and one for what they cannot send. `workload` has its
// networks.
std::vector<Finding> network_faults(const network::Networks& networks, const Workload& workload);

}  // namespace tpuwh::server::explain
