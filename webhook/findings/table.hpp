// The table of all findings: what docs/messages.md, `kubectl tpu findings`, the configuration's
// keys and the tests are made from.
#pragma once

#include "webhook/findings/finding.hpp"

#include <span>
#include <string_view>

namespace tpuwh::webhook::findings {

struct Row {
  Finding finding;
  std::string_view id;    // "TPU-102": for good, never given to another
  std::string_view name;  // "topology-not-divisible"
  Level level;            // where nobody says otherwise
  // Whole sentences for people.
  std::string_view what;   // what is found
  std::string_view cause;  // what follows of it, and how it comes about
  std::string_view fix;    // what to do
};

// In the order of Finding, which is that of the ids.
std::span<const Row> table();
const Row& row(Finding finding);
// Null for what is no id.
const Row* find(std::string_view id);

}  // namespace tpuwh::webhook::findings
