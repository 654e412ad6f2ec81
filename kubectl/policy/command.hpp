// `kubectl tpu policy`: admission policies for a cluster, printed for `kubectl apply`.
#pragma once

#include "kubectl/policy/policy.hpp"
#include "kubectl/policy/quota.hpp"
#include "server/text/console.hpp"
#include "webhook/config/config.hpp"

#include <vector>

namespace tpuwh::server::policy {

enum class PolicyOutput { yaml, json };

struct PolicyOptions {
  webhook::config::Config config;
  Action most = Action::deny;
  PolicyOutput output = PolicyOutput::yaml;
  std::vector<ShareOfTeam> shares = {};  // not empty: quotas in place of policies
  QuotaOf quota_of = QuotaOf::both;
};

// YAML documents, or a List as one JSON text.
//
//   returns  0
int run_policy(const PolicyOptions& options, const text::Console& console);

}  // namespace tpuwh::server::policy
