// `kubectl tpu policy test`: reports what the policies of a team's rules would refuse or warn of.
// The command needs no API server.
#pragma once

#include "kubectl/team_rules/rules.hpp"
#include "kubectl/text/console.hpp"

#include <optional>
#include <string>
#include <vector>

namespace tpuwh::server::policy {

enum class TrialOutput { text, json };

struct TrialOptions {
  std::vector<std::string> files;  // see source::input_files(); standard input if empty
  std::string ns = "default";      // the namespace of objects that name none
  std::string expected;            // a file with the expected outcomes, or ""
  TrialOutput output = TrialOutput::text;
  std::string prefix;  // of tpu-webhook's annotations, such as "tpu-webhook.dev/"
  std::optional<team_rules::Rules> rules;
};

// Judges each object that makes Pods, unless the controller of another such object created it.
//
//   expected  YAML: a list of {object: [NAMESPACE/]KIND/NAME, outcome: allowed, warned or refused,
//             ids: [TPU-654, …]}; ids may be absent. An object that is not among the files is a
//             difference
//   returns   0 nothing would be refused, or all is as expected; 1 otherwise; 2 a file cannot be
//             read, or an object cannot be judged
int run_policy_test(const TrialOptions& options, const text::Console& console);

}  // namespace tpuwh::server::policy
