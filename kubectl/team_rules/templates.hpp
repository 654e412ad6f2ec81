// The Pod templates of an object that admission policies judge, and how many Pods its controllers
// create of each.
#pragma once

#include "kubectl/team_rules/judge.hpp"
#include "server/text/json.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace tpuwh::server::team_rules {

struct PodTemplate {
  std::string title;   // "worker group a: ", or "" for the only template of an object
  const Json* pod;     // metadata and spec
  std::uint64_t pods;  // Pods at a time, also of a suspended object
  Run run;             // without the checkpoint, which the template names
};

// Returns the templates of an object of the workload table, whether they ask for chips or not.
// Other objects have none here. The result points into `object`.
//
//   numbers  absent ones have the default of their API; a negative one creates no Pods
std::vector<PodTemplate> templates_of(const Json& object);

// Returns the name of an object. A name that the API server makes up is the prefix and "xxxxx".
std::string name_of(const Json& object);

}  // namespace tpuwh::server::team_rules
