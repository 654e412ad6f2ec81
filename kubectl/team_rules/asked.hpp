// Reads the chips, nodes and run time that each Pod template of an object asks for.
#pragma once

#include "kubectl/team_rules/templates.hpp"
#include "webhook/read/cluster.hpp"

#include <string_view>

namespace tpuwh::server::team_rules {

// Returns the chips, nodes and run time that each Pod template of `object` asks for. A template
// without chips is left out. A template is also left out if it asks for a fraction of a chip, or
// has a claim that is not in `cluster`, because then its number of chips is not known.
//
//   prefix   the prefix of the annotation that names a checkpoint, "tpu-webhook.dev/"
//   cluster  returns the ResourceClaims and ResourceClaimTemplates of namespace `ns`
AskedObject asked_of(const Json& object, std::string_view prefix, std::string_view ns,
                     const webhook::read::ClusterView& cluster);

}  // namespace tpuwh::server::team_rules
