// What each resource answers. No socket here: tests call answer() with values.
#pragma once

#include "server/https/health.hpp"
#include "server/https/reply.hpp"
#include "server/https/router.hpp"
#include "server/log/log.hpp"
#include "server/metrics/metrics.hpp"
#include "webhook/answer/admit.hpp"

#include <string>

namespace tpuwh::server::https {

// What the handlers of one event loop work with. Everything but the workspace
// is shared by all loops and outlives them.
struct Handlers {
  const webhook::config::Config& config;
  const webhook::read::ClusterView& cluster;
  const Health& health;
  log::Log& log;
  metrics::Metrics& metrics;
  webhook::answer::Workspace workspace = {};
  // Of /shadow and what is below it: a webhook entry for namespaces that only want to know what
  // would be done.
  webhook::config::Config shadow_config = config.in_shadow();

  // What the ledger is to be asked or told after answer(). Where it is asked, the reply says
  // nothing yet: call answer() again with its word.
  struct LedgerPart {
    webhook::answer::Answer::LedgerUse use = webhook::answer::Answer::LedgerUse::none;
    webhook::ledger::PlaceRequest request = {};
    topology::Place place = {};
  };
  LedgerPart ledger = {};
  std::string metrics_text = {};  // of the last scrape

  // Answers a request that was routed; for a review `body` is the review.
  // The views of reply and `ledger` live until the next call, and while `body` is unchanged.
  Reply answer(Resource resource, std::string& body,
               const webhook::ledger::PlaceAnswer* place = nullptr);

 private:
  Reply mutate(std::string& body, const webhook::config::Config& how,
               const webhook::ledger::PlaceAnswer* place);
  Reply validate(std::string& body, const webhook::config::Config& how);
  // Asks, logs, counts, and makes a reply of the answer.
  template <class F>
  Reply accounted(metrics::Metrics::Webhook webhook, F&& ask);
};

}  // namespace tpuwh::server::https
