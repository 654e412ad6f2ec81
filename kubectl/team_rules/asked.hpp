// Reads the request of an object: the chips, nodes and run time of each Pod template.
#pragma once

#include "kubectl/team_rules/templates.hpp"
#include "webhook/read/cluster.hpp"

#include <string_view>

namespace tpuwh::server::team_rules {

// Returns what the templates of `object` ask for. A template without chips is left out. So is one
// whose chips are not known: a fraction, or a claim that `cluster` does not know.
//
//   prefix   the prefix of the annotation that names a checkpoint, "tpu-webhook.dev/"
//   cluster  is asked for the ResourceClaims and ResourceClaimTemplates of namespace `ns`
AskedObject asked_of(const Json& object, std::string_view prefix, std::string_view ns,
                     const webhook::read::ClusterView& cluster);

}  // namespace tpuwh::server::team_rules
