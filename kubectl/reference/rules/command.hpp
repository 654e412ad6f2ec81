// `kubectl tpu rules`: what tpu-webhook may ever write into a Pod, what it reads, and its rights.
#pragma once

#include "kubectl/text/console.hpp"
#include "server/kube/cluster/rbac.hpp"
#include "webhook/config/config.hpp"

#include <string>

namespace tpuwh::server::rules {

enum class RulesOutput { text, markdown, json };

struct RulesOptions {
  RulesOutput output = RulesOutput::text;
  bool rbac = false;     // print only the rights, as YAML
  bool entries = false;  // print only the entries of the MutatingWebhookConfiguration
  webhook::config::Config config = {};
  kube::cluster::RbacNeeds needs = {};
};

// docs/patch-surface.md is the markdown form; a test fails if they differ.
//
//   returns  0
int run_rules(const RulesOptions& options, const text::Console& console);

}  // namespace tpuwh::server::rules
