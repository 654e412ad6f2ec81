// Handlers with all that they look at, for tests that ask them: silent but for errors, and with a
// cluster of which nothing is known, if a test says no more.
#pragma once

#include "server/serve/https/handlers.hpp"
#include "webhook/read/cluster.hpp"

#include <gtest/gtest.h>

namespace tpuwh::server::https {

class WithHandlers : public testing::Test {
 protected:
  struct Cluster final : webhook::read::ClusterView {
    webhook::read::Claimed claimed(const webhook::read::ClaimSource&) const override {
      return claim;
    }
    webhook::read::Claimed claim;
  };

  explicit WithHandlers(log::LogLevel level = log::LogLevel::error)
      : log_(log::LogFormat::text, level) {}

  webhook::config::Config config_;
  Cluster cluster_;
  Health health_{1};
  log::Log log_;
  metrics::Metrics metrics_;
  Handlers handlers_{{.config = config_,
                      .cluster = cluster_,
                      .health = health_,
                      .log = log_,
                      .metrics = metrics_}};
};

}  // namespace tpuwh::server::https
