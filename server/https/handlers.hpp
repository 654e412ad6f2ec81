// What each resource answers. No socket here: tests call answer() with values.
#pragma once

#include "server/health.hpp"
#include "server/https/reply.hpp"
#include "server/https/router.hpp"
#include "server/log.hpp"
#include "webhook/admit.hpp"

#include <string>

namespace tpuwh::server {

// What the handlers of one event loop work with. Everything but the workspace
// is shared by all loops and outlives them.
struct Handlers {
  const webhook::Config& config;
  const webhook::ClusterView& cluster;
  webhook::Ledger& ledger;
  const Health& health;
  Log& log;
  webhook::Workspace workspace = {};
  // Of /shadow: a webhook entry for namespaces that only want to know what would be done.
  webhook::Config shadow_config = config.in_shadow();

  // Answers a request that was routed; for a review `body` is the review.
  // The reply's views live until the next call, and while `body` is unchanged.
  Reply answer(Resource resource, std::string& body);

 private:
  Reply review(std::string& body, const webhook::Config& how);
};

}  // namespace tpuwh::server
