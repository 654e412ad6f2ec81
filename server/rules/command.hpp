// `rules`: what this program may ever write into a Pod, and what it reads; or what
// is different in that from another release. What --rbac prints is server/kube/cluster/rbac.hpp.
#pragma once

#include "server/text/console.hpp"

#include <string>

namespace tpuwh::server::rules {

enum class RulesOutput { text, markdown, json };

struct RulesOptions {
  RulesOutput output = RulesOutput::text;
  std::string prefix = "tpu-webhook.dev/";
  std::string older;  // file with the JSON of another release to compare with; "" for none
};

// docs/patch-surface.md is the markdown form; a test fails where they differ.
//
//   returns  0; with `older`: 1 where something was added, 2 where the file is unusable (a
//            sentence on err)
int run_rules(const RulesOptions& options, const text::Console& console);

}  // namespace tpuwh::server::rules
