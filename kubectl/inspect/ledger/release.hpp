// Which entries `ledger release` takes out of a ledger object. Values alone.
#pragma once

#include "kubectl/inspect/ledger/inventory.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace tpuwh::server::ledger {

// "NAMESPACE/CLUSTER/GROUP".
struct GroupPath {
  std::string ns, cluster, group;
  bool names(const kube::store::GroupName& name) const {
    return ns == name.ns && cluster == name.cluster && group == name.group;
  }
};

//   errors  bad_value: what was found and what would be right
Result<GroupPath> parse_group_path(std::string_view text);
// "SLICE-HOST", both plain decimals.
Result<topology::Place> parse_place(std::string_view text);

struct ReleaseChoice {
  std::vector<topology::Place> places;  // none: every entry without a living Pod
  bool force = false;                   // entries of the named places even if their Pods live
};

struct ReleasePlan {
  std::vector<webhook::ledger::LedgerEntry> free;  // to be taken out, in the order of places
  std::vector<std::string> kept;  // a sentence for each place that was named and stays
};

ReleasePlan plan_release(const kube::cluster::LedgerObject& object, const ReleaseChoice& choice,
                         const LivingTokens& living);

// Only what both plans free: of the entries that had no Pod then and have none now.
ReleasePlan confirmed(const ReleasePlan& before, const ReleasePlan& now);

// What is left without those entries.
webhook::ledger::LedgerRecord without(const webhook::ledger::LedgerRecord& record,
                                      const ReleasePlan& plan);

}  // namespace tpuwh::server::ledger
