// The entries that a MutatingWebhookConfiguration needs. Each Pod that concerns the webhook reaches
// exactly one, and its policy is that of the mode of its own workload API, so that an outage
// touches only those that are enforced (docs/decisions/0038).
//
// A label selector costs the API server next to nothing, a condition that it evaluates much, so an
// entry is chosen by the presence of labels' keys: one for each workload API whose controller
// writes a label, and one, the last of the table, for Pods without these keys, whoever owns them.
// They ask only whether a Pod asks for TPUs. What they do not share is the mode: a workload API
// whose mode is another than that of most has an entry that tests in CEL what the workload table
// tests in C++.
//
// Pods with claims and without TPUs are never changed where claims are not read, and then whoever
// does not wait takes them. Where they are read they have the policy of their workload API's mode:
// in an entry of their own where all have one mode, else with the Pods that ask for TPUs.
//
// The chart's templates/_program.tpl is made from the JSON form, its templates/_entries.tpl does
// the same from its values, and a test compares.
#pragma once

#include "server/text/json_text.hpp"
#include "webhook/config/config.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tpuwh::server::rules {

// The parts, as CEL over `object`, a Pod that is created.
struct Conditions {
  std::string asks_for_tpu;
  std::string has_claims;  // spec.resourceClaims, or a resource that a DeviceClass may define
  // Its nodes have GPUs, by the label that GKE or NVIDIA gives them: none of them has TPUs.
  std::string selects_gpus;
  std::string annotated;  // with one of our annotations
};
Conditions conditions(const std::string& prefix);

// Returns CEL that is true if `amounts`, the limits or the requests of a container, contain one of
// read::chip_resources.
std::string asks_for_chips(std::string_view amounts);

// The workload table names this workload API, and none before it; CEL. With the key of a label that
// all its Pods have, "" where there is none.
struct OfWorkload {
  std::string workload;  // "jobset"
  std::string entry;     // "jobset.pods.tpu-webhook.dev"
  std::string label_key;
  std::string expression;
};
std::vector<OfWorkload> of_workloads();

struct Entry {
  std::string name;        // "jobset.pods.tpu-webhook.dev"
  std::string condition;   // its match condition's name: "jobset", "resource-claims"
  std::string expression;  // and CEL
  std::vector<std::string> present = {}, absent = {};  // keys of labels, of its objectSelector
  // Of all its Pods. Nothing where no Pod reaches it: it is there so that it has its caBundle when
  // other settings need it.
  std::optional<webhook::config::Mode> mode = {};
  // The workload APIs whose Pods with TPUs reach it, with the labels that their controllers write.
  std::vector<std::string> workloads = {};
  // Pods with resource claims that do not ask for TPUs reach it; where claims are read
  // (Config::claims), those of `workloads` alone, or of all in the entry for claims.
  bool claims = false;
};

// By the modes of a configuration, the workload APIs that it handles, and its prefix. In the order
// of the workload table, then that of the claims; always of the same names.
std::vector<Entry> entries(const webhook::config::Config& config);

// Of the entry for namespaces that are only watched: all that concern the webhook.
std::string any_expression(const webhook::config::Config& config);

// Workload objects that are checked: one rule of the ValidatingWebhookConfiguration each, in the
// order of the workload table.
struct Objects {
  std::string workload, group;
  std::vector<std::string> versions, resources;
};
std::vector<Objects> objects();

// `rules --entries`
std::string entries_yaml(const webhook::config::Config& config);
Json entries_json(const webhook::config::Config& config);

}  // namespace tpuwh::server::rules
