// What is known of a server's cluster, as metrics: how fresh, how much, and what the ledger does.
#pragma once

#include "server/kube/certificate/keeper.hpp"
#include "server/kube/cluster/cluster.hpp"
#include "server/net/asio.hpp"
#include "server/serve/metrics/metrics.hpp"

namespace tpuwh::server::app {

// A kind that the API server does not serve (a cluster without KubeRay) has no samples.
void cluster_metrics(const kube::cluster::ClusterStatus& status, net::TimePoint now,
                     metrics::Samples& out);

// The same of the certificate that replicas issue themselves.
void keeper_metrics(const kube::certificate::KeeperStatus& status, metrics::Samples& out);

}  // namespace tpuwh::server::app
