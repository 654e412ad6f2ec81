// `rules`: what this program may ever write into a Pod, and what it reads. What --rbac prints is
// server/kube/cluster/rbac.hpp; what --diff prints, kubectl/reference/rules_diff.
#pragma once

#include "server/text/console.hpp"

#include <string>

namespace tpuwh::server::rules {

enum class RulesOutput { text, markdown, json };

struct RulesOptions {
  RulesOutput output = RulesOutput::text;
  std::string prefix = "tpu-webhook.dev/";
};

// docs/patch-surface.md is the markdown form; a test fails where they differ.
//
//   returns  0
int run_rules(const RulesOptions& options, const text::Console& console);

}  // namespace tpuwh::server::rules
