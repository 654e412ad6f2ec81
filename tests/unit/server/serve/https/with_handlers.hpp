// Handlers with all that they look at, silent and without a cluster, for tests that ask them.
#pragma once

#include "server/serve/https/handlers.hpp"
#include "webhook/read/cluster.hpp"

#include <gtest/gtest.h>

namespace tpuwh::server::https {

class WithHandlers : public testing::Test {
 protected:
  webhook::config::Config config_;
  webhook::read::NoCluster cluster_;
  Health health_{1};
  log::Log log_{log::LogFormat::text, log::LogLevel::error};
  metrics::Metrics metrics_;
  Handlers handlers_{{.config = config_,
                      .cluster = cluster_,
                      .health = health_,
                      .log = log_,
                      .metrics = metrics_}};
};

}  // namespace tpuwh::server::https
