// `kubectl tpu ledger list` and `ledger release`: what the ledger holds, and its repair by hand.
#pragma once

#include "kubectl/inspect/ledger/release.hpp"
#include "kubectl/inspect/running/cluster_access.hpp"
#include "kubectl/inspect/source/snapshot_file.hpp"
#include "kubectl/text/console.hpp"

#include <string>

namespace tpuwh::server::ledger {

enum class LedgerOutput { text, json };

// What `ledger list` reads of a file instead of a running cluster.
const source::Reads& reads_of_ledger();

struct LedgerOptions {
  running::ClusterAccess access;  // `ledger release` needs a running one
  std::string ns;  // of the ledger objects; "" finds it (kubectl/inspect/running/installation.hpp)
  std::string prefix;  // of our labels, "tpu-webhook.dev/"
  LedgerOutput output = LedgerOutput::text;
};

// Of a file: the ledger objects of options.ns, or of all namespaces, and the Pods.
//
//   returns  0; 2 where the ledger or the file cannot be read
int run_ledger_list(const LedgerOptions& options, const text::Console& console);

struct ReleaseOptions {
  LedgerOptions ledger;
  GroupPath group;
  ReleaseChoice choice;
  bool dry_run = false;
  bool yes = false;  // do not ask
};

// Frees entries whose Pods do not live. A Pod may be stored up to a minute after its entry was
// written, so an entry is freed only if it has no Pod at two looks, ledger::times::rebuild apart;
// --force does not wait. Written by compare-and-swap, and tried again on a conflict.
//
//   returns  0 done, or nothing to do; 1 nothing was changed: not confirmed, or kept on
//            conflicting; 2 the ledger cannot be read or written, or there is no such group
int run_ledger_release(const ReleaseOptions& options, const text::Console& console);

}  // namespace tpuwh::server::ledger
