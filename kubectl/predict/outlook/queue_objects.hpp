// Objects of Kueue, and ComputeClasses, as far as an outlook asks about them.
#pragma once

#include "kubectl/predict/outlook/cluster_state.hpp"
#include "server/text/json.hpp"

#include <string_view>

namespace tpuwh::server::outlook {

// Puts it into `state`; other kinds are passed over. What has another type than it should is as
// good as absent.
void keep(std::string_view kind, const Json& object, ClusterState& state);

}  // namespace tpuwh::server::outlook
