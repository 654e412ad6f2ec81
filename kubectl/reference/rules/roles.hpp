// Formats RBAC rules as the YAML of a ClusterRole and a Role.
#pragma once

#include "server/kube/cluster/rbac.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace tpuwh::server::rules {

// Returns the YAML of a ClusterRole and a Role with this name. The Role has the rules whose field
// own_namespace is true, and the ClusterRole has all others. A role without rules is omitted.
std::string roles_yaml(std::string_view name, const std::vector<kube::cluster::RbacRule>& rules);

// Returns the YAML of the ClusterRole and the Role named tpu-webhook, which the webhook server
// needs. A role without rules is omitted. If the server needs no rule, the YAML has only a comment.
std::string server_roles_yaml(const kube::cluster::RbacNeeds& needs);

}  // namespace tpuwh::server::rules
