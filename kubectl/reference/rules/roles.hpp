// RBAC rules as the YAML of roles.
#pragma once

#include "server/kube/cluster/rbac.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace tpuwh::server::rules {

// Returns a ClusterRole and a Role of this name, each only if it has rules.
std::string roles_yaml(std::string_view name, const std::vector<kube::cluster::RbacRule>& rules);

// Returns the ClusterRole and the Role named tpu-webhook, each only if it has rules. If no rule is
// needed, the text is a comment.
std::string server_roles_yaml(const kube::cluster::RbacNeeds& needs);

}  // namespace tpuwh::server::rules
