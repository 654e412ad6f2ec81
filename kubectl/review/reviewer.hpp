// Answers reviews as a server would that has seen a snapshot of a cluster.
#pragma once

#include "kubectl/inspect/source/snapshot.hpp"
#include "kubectl/review/outcome.hpp"
#include "webhook/answer/admit.hpp"
#include "webhook/config/config.hpp"
#include "webhook/ledger/ledger.hpp"
#include "webhook/validate/validate.hpp"

#include <string>
#include <vector>

namespace tpuwh::server::review {

// Its Pods are created in the order in which they are asked about: places of Ray workers that
// were given stay given.
class Reviewer {
 public:
  // `config` outlives it.
  explicit Reviewer(const webhook::config::Config& config)
      : config_(config), cluster_(config.prefix) {}

  // What is known of the cluster; to be filled before the first answer.
  source::Snapshot& cluster() { return cluster_; }
  // The places that Ray workers of the cluster have.
  void take_places() { cluster_.seed(ledger_); }

  // The API server asks about Pods at /mutate, about what makes them at /validate. The views of
  // the answer live until the next one; the reader may need room behind the text of `review`.
  webhook::answer::Answer answer(std::string& review);
  // What an object that makes Pods is refused for, each by itself.
  std::vector<webhook::validate::Found> faults(std::string& review);

 private:
  const webhook::config::Config& config_;
  source::Snapshot cluster_;
  webhook::ledger::MemoryLedger ledger_;
  webhook::answer::Workspace workspace_;
};

}  // namespace tpuwh::server::review
