// `kubectl tpu policy`: admission policies for a cluster, printed for `kubectl apply`.
#pragma once

#include "kubectl/policy/policy.hpp"
#include "kubectl/policy/quota.hpp"
#include "kubectl/team_rules/rules.hpp"
#include "kubectl/text/console.hpp"
#include "webhook/config/config.hpp"

#include <optional>
#include <vector>

namespace tpuwh::server::policy {

enum class PolicyOutput { yaml, json };

struct PolicyOptions {
  webhook::config::Config config;
  std::optional<team_rules::Rules> rules = {};
  Action most = Action::deny;
  PolicyOutput output = PolicyOutput::yaml;
  std::vector<ShareOfTeam> shares = {};  // if not empty, quotas are printed instead of policies
  QuotaOf quota_of = QuotaOf::both;
};

// Prints YAML documents, or a List as one JSON text.
//
//   returns  0
int run_policy(const PolicyOptions& options, const text::Console& console);

}  // namespace tpuwh::server::policy
