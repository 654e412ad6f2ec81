// The entries that a MutatingWebhookConfiguration needs, one for each workload API, so that an
// outage touches only those that are enforced. Together they test what one condition would: each
// Pod that concerns the webhook reaches exactly one of them, and the workload table says which.
//
// The chart's templates/_program.tpl is made from the JSON form, and a test compares.
#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace tpuwh::server::rules {

// The parts, as CEL over `object`, a Pod that is created.
struct Conditions {
  std::string asks_for_tpu;
  std::string has_claims;  // spec.resourceClaims
  std::string annotated;   // with one of our annotations
};
Conditions conditions(const std::string& prefix);

struct Entry {
  std::string name;              // "jobset.pods.tpu-webhook.dev"
  std::string expression;        // of its match condition; CEL
  std::string workload = {};     // "jobset"; "" for Pods with claims alone, whoever made them
  std::string of_workload = {};  // the workload table names this one, and none before it; CEL
  std::string label_key = {};    // of an objectSelector that lets all its Pods pass; "" for none
  std::string label_value = {};  // "" for any
};

// In the order of the workload table, then that of the claims. Prefix: "tpu-webhook.dev/".
std::vector<Entry> entries(const std::string& prefix);

// Workload objects that are checked: one rule of the ValidatingWebhookConfiguration each, in the
// order of the workload table.
struct Objects {
  std::string workload, group;
  std::vector<std::string> versions, resources;
};
std::vector<Objects> objects();

// `rules --entries`
std::string entries_yaml(const std::string& prefix);
nlohmann::ordered_json entries_json(const std::string& prefix);

}  // namespace tpuwh::server::rules
