// Compares the ledger with the living Pods: which entries have one. Values alone, no cluster.
#pragma once

#include "kubectl/text/printed.hpp"
#include "server/kube/cluster/ledger_object.hpp"
#include "server/text/json.hpp"

#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace tpuwh::server::ledger {

// Namespace and token of every Pod that lives: stored, and neither Succeeded nor Failed. One
// that is being deleted lives until it is gone.
using LivingTokens = std::set<std::pair<std::string, std::string>>;

// Takes one Pod into account; one without the label `label` has no token.
void add_pod(const Json& pod, const std::string& label, LivingTokens& living);

// Whether a ConfigMap is of the ledger; `ns` "" for any namespace.
bool is_ledger_object(const Json& config_map, const std::string& ns);

struct LedgerInventory {
  std::string ns;  // of the ledger objects; "" for all
  std::vector<kube::cluster::LedgerObject> objects;
  std::optional<LivingTokens> living;  // none: Pods may not be listed
  std::vector<std::string> not_known;  // sentences: unreadable objects, missing rules
};

bool lives(const kube::cluster::LedgerObject& object, const webhook::ledger::LedgerEntry& entry,
           const LivingTokens& living);

// "3-1": as tokens and `ledger release` write a place.
std::string place_text(topology::Place place);
// "ml/train/workers": as `ledger release` takes it.
std::string group_text(const kube::store::GroupName& group);

text::Printed inventory_text(const LedgerInventory& inventory, bool colour);
// docs/operations.md, "For programs".
Json inventory_json(const LedgerInventory& inventory);

}  // namespace tpuwh::server::ledger
