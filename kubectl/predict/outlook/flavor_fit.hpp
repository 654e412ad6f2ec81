// Whether the nodes of a flavor are any for Pods, as Kueue compares them.
//
//   source  kueue pkg/scheduler/flavorassigner/flavorassigner.go (ff69552)
#pragma once

#include "kubectl/predict/outlook/member.hpp"

#include <map>
#include <string>

namespace tpuwh::server::outlook {

// Why the flavor's nodes are none for the Pods; "" where they are, or where nobody read flavors. Of
// selectors and required node affinity the keys of its own labels count: before Kueue 0.19 those of
// all flavors of the resource group did (kueue#12449).
std::string why_not(const ClusterState& cluster, const std::string& flavor, const Member& member);

// What a Pod set asks for of those that the group covers.
std::map<std::string, double> covered(const PodSet& set, const ResourceGroup& group);

// Whether the flavor's own quota is ever enough; more may be borrowed in a cohort.
bool is_ever_enough(const ClusterQueue& queue, const FlavorQuota& quota,
                    const std::map<std::string, double>& needs);

}  // namespace tpuwh::server::outlook
