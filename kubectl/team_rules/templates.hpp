// Finds the Pod templates of an object, and the number of Pods that controllers create from each
// template.
#pragma once

#include "kubectl/team_rules/judge.hpp"
#include "server/text/json.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace tpuwh::server::team_rules {

struct PodTemplate {
  std::string title;   // "worker group a: ", or "" for the only template of an object
  const Json* pod;     // the template: metadata and spec
  std::uint64_t pods;  // Pods that run at a time; a suspended object counts as running
  Run run;             // its field `checkpoint` is set later, by asked_of()
};

// Returns the templates of an object, whether they ask for chips or not. The result is empty if the
// kind is not in the workload table (webhook/workloads/table.hpp). The result points into `object`.
// If a number such as `replicas` is absent in the object, the default of the object's API is used.
// A negative number creates no Pods.
std::vector<PodTemplate> templates_of(const Json& object);

// Returns the name of an object. If the object has only a generateName, returns this text followed
// by "xxxxx", in place of the part that the API server generates.
std::string name_of(const Json& object);

}  // namespace tpuwh::server::team_rules
