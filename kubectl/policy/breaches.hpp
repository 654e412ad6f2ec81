// Checks an object against a team's rules, without an API server. The commands `kubectl tpu policy
// test` and `kubectl tpu explain` use this check.
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
  bool refused;  // true: the admission policies refuse the object; false: they warn
};

// The rules and the other inputs for judging an object in namespace `ns`.
struct Question {
  const team_rules::Rules& rules;
  std::string_view prefix;  // of tpu-webhook's annotations, such as "tpu-webhook.dev/"
  std::string_view ns;
  const webhook::read::ClusterView& cluster;  // has the ResourceClaims and ResourceClaimTemplates
};

// Returns one breach for each way in which `object` breaks the team's rules. The ids of the
// breaches are in the range TPU-651 to TPU-680.
//
//   before  the object before an update, or null. A breach of TPU-651 to TPU-660 is left out if
//           `before` had the same breach with at least the same amount (of chips, for example)
std::vector<Breach> breaches(const Question& question, const Json& object, const Json& before);

// Returns whether a controller created `object` from an object that the admission policies judge,
// such as a Job from a JobSet. In this case the policies judge only the JobSet.
bool made_by_judged(const Json& object);

}  // namespace tpuwh::server::policy
