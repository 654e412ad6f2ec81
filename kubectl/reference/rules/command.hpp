// `kubectl tpu rules` prints every patch that tpu-webhook may write into a Pod, the data that it
// reads, and the RBAC rules that it needs.
#pragma once

#include "kubectl/text/console.hpp"
#include "server/kube/cluster/rbac.hpp"
#include "webhook/config/config.hpp"

#include <string>

namespace tpuwh::server::rules {

enum class RulesOutput { text, markdown, json };

struct RulesOptions {
  RulesOutput output = RulesOutput::text;
  bool rbac = false;     // print only the RBAC rules, as the YAML of roles
  bool entries = false;  // print only the webhooks of the MutatingWebhookConfiguration
  webhook::config::Config config = {};
  kube::cluster::RbacNeeds needs = {};
};

// docs/patch-surface.md is the markdown form; a test fails if they differ.
//
//   returns  0
int run_rules(const RulesOptions& options, const text::Console& console);

}  // namespace tpuwh::server::rules
