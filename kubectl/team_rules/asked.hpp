// Reads the chips, nodes and run time that each Pod template of an object asks for.
#pragma once

#include "kubectl/team_rules/templates.hpp"
#include "webhook/read/cluster.hpp"

#include <string_view>

namespace tpuwh::server::team_rules {

// Returns what each Pod template of `object` asks for. A template that asks for no chips is left
// out. A template is also left out if its number of chips is not known: it asks for a fraction of a
// chip, or it has a claim that is not in `cluster`.
//
//   prefix   the prefix of the annotation that names a checkpoint, "tpu-webhook.dev/"
//   cluster  returns the ResourceClaims and ResourceClaimTemplates of namespace `ns`
AskedObject asked_of(const Json& object, std::string_view prefix, std::string_view ns,
                     const webhook::read::ClusterView& cluster);

}  // namespace tpuwh::server::team_rules
