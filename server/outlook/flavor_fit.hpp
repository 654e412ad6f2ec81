// Whether the nodes of a flavor are any for Pods, as Kueue compares them.
//
//   source  kueue pkg/scheduler/flavorassigner/flavorassigner.go (ff69552)
#pragma once

#include "server/outlook/member.hpp"

#include <map>
#include <set>
#include <string>
#include <string_view>

namespace tpuwh::server::outlook {

// Label keys that any flavor of the group has: of a Pod's node selector these alone are compared.
using Keys = std::set<std::string_view>;
Keys keys_of(const ClusterState& cluster, const ResourceGroup& group);

// Why the flavor's nodes are none for the Pods; "" where they are, or where nobody read flavors.
std::string why_not(const ClusterState& cluster, const Keys& keys, const std::string& flavor,
                    const Member& member);

// What a Pod set asks for of those that the group covers.
std::map<std::string, double> covered(const PodSet& set, const ResourceGroup& group);

// Whether the flavor's own quota is ever enough; more may be borrowed in a cohort.
bool is_ever_enough(const ClusterQueue& queue, const FlavorQuota& quota,
                    const std::map<std::string, double>& needs);

}  // namespace tpuwh::server::outlook
