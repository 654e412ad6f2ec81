// Judges an object by a team's rules without an API server, for `policy test` and `explain`.
#pragma once

#include "kubectl/team_rules/rules.hpp"
#include "server/text/json.hpp"
#include "webhook/read/cluster.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace tpuwh::server::policy {

struct Breach {
  std::string id;  // "TPU-654"
  std::string sentence;
  bool refused;  // the printed policies refuse the object; otherwise they warn of it
};

// The rules, and what an object of namespace `ns` is compared with.
struct Question {
  const team_rules::Rules& rules;
  std::string_view prefix;  // of annotations
  std::string_view ns;
  const webhook::read::ClusterView& cluster;  // knows ResourceClaims and their templates
};

// Returns everything that `object` breaks of TPU-651 to TPU-680.
//
//   before  the object before an update, or null. What it broke at least as much of TPU-651 to
//           TPU-660 is left out
std::vector<Breach> breaches(const Question& question, const Json& object, const Json& before);

// Returns whether the controller of another judged object created `object`. The policies leave such
// an object alone, because its maker was judged.
bool made_by_judged(const Json& object);

}  // namespace tpuwh::server::policy
