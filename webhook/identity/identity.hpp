// From what a workload API says about a Pod to its place: which host of which slice.
#pragma once

#include "webhook/facts/facts.hpp"
#include "webhook/findings/finding.hpp"
#include "webhook/ledger/ledger.hpp"
#include "webhook/outcome/summary.hpp"
#include "webhook/read/cluster.hpp"

namespace tpuwh::webhook::identity {

struct Identity {
  enum class Verdict {
    settled,
    leave_alone,  // nothing is guessed (docs/decisions/0014)
    deny,         // an index that cannot be
    ask_ledger,   // nothing on the Pod says it
    try_again,    // the ledger cannot answer now
  };
  Verdict verdict = Verdict::settled;
  outcome::Reason reason = outcome::Reason::injected;               // of all but `settled`
  Error why = {};                                                   // likewise
  findings::Finding finding = findings::Finding::identity_missing;  // of leave_alone
  bool retry_now = true;  // of try_again: PlaceAnswer::retry_now
};

// Fills slice and host of `facts`, and in `member` what follows from them.
//
//   cluster  how many hosts and slices a Ray worker group has
//   answer   the ledger's, null before it was asked
Identity settle_identity(facts::Facts& facts, workloads::Member& member,
                         const read::ClusterView& cluster, const ledger::PlaceAnswer* answer);

}  // namespace tpuwh::webhook::identity
