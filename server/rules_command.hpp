// `tpu-webhook rules`: what this program may ever write into a Pod, and what it reads.
#pragma once

#include <iosfwd>
#include <string>

namespace tpuwh::server {

enum class RulesOutput { text, markdown, json };

struct RulesOptions {
  RulesOutput output = RulesOutput::text;
  std::string prefix = "tpu-webhook.dev/";
};

// docs/patch-surface.md is the markdown form; a test fails where they differ.
int run_rules(const RulesOptions& options, std::ostream& out);

}  // namespace tpuwh::server
