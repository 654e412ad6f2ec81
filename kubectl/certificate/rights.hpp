// The RBAC rules of the keeper's ServiceAccount, for the objects that the keeper reads and writes.
// The chart contains the roles as `kubectl tpu certificate rights` prints them, and `doctor`
// compares the cluster's roles with these rules.
#pragma once

#include "kubectl/certificate/configuration.hpp"
#include "server/kube/cluster/rbac.hpp"

#include <string>
#include <vector>

namespace tpuwh::server::certificate {

// The name of the keeper's Deployment, ServiceAccount and roles in the chart.
inline constexpr auto keeper_name = "tpu-webhook-keeper";

std::vector<kube::cluster::RbacRule> keeper_rules(const std::string& secret = secret_name);

}  // namespace tpuwh::server::certificate
