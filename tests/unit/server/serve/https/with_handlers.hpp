// Handlers with all that they look at, for tests that ask them: silent but for errors, and with a
// cluster of which nothing is known, if a test says no more.
#pragma once

#include "server/serve/https/handlers.hpp"
#include "webhook/read/cluster.hpp"

#include <gtest/gtest.h>

#include <string>

namespace tpuwh::server::https {

// Returns a review of a Service, which is answered without waiting for the cluster.
inline std::string service_review() {
  return R"({"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":"u1",)"
         R"("kind":{"group":"","version":"v1","kind":"Service"},)"
         R"("resource":{"group":"","version":"v1","resource":"services"},)"
         R"("operation":"CREATE","object":{}}})";
}

// Returns a review of a Ray worker without KubeRay's index labels, for which the ledger is asked.
inline std::string worker_review() {
  return R"({"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":"u1",)"
         R"("kind":{"group":"","version":"v1","kind":"Pod"},"namespace":"ns",)"
         R"("resource":{"group":"","version":"v1","resource":"pods"},"operation":"CREATE",)"
         R"("object":{"metadata":{"labels":{"ray.io/cluster":"r","ray.io/group":"w",)"
         R"("ray.io/node-type":"worker"}},"spec":{"nodeSelector":)"
         R"({"cloud.google.com/gke-tpu-topology":"2x4"},"containers":[{"name":"c","resources":)"
         R"({"limits":{"google.com/tpu":"4"}}}]}}}})";
}

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
