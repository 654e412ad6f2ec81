// `kubectl tpu policy test`: what the rules of a cluster would refuse and warn of, without an API
// server, so that they are tried before they are held.
#pragma once

#include "server/text/console.hpp"
#include "webhook/config/config.hpp"

#include <string>
#include <vector>

namespace tpuwh::server::policy {

enum class TrialOutput { text, json };

struct TrialOptions {
  std::vector<std::string> files;  // as source::input_files() takes them; none: standard input
  std::string ns = "default";      // of objects that name none
  std::string expected;            // a file of what is expected; "" for none
  TrialOutput output = TrialOutput::text;
  webhook::config::Config config;  // with rules
};

// Judges each object that makes Pods and was made by no other such object.
//
//   expected  YAML: a list of {object: [NAMESPACE/]KIND/NAME, outcome: allowed, warned or refused,
//             ids: [TPU-654, …]}; ids may be absent. An object that is not among the files is a
//             difference
//   returns   0 nothing would be refused, or all is as expected; 1 otherwise; 2 a file cannot be
//             read, or an object cannot be judged
int run_policy_test(const TrialOptions& options, const text::Console& console);

}  // namespace tpuwh::server::policy
