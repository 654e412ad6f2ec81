// Metrics of a server's cluster: how fresh and how many objects are, and the ledger's work.
#pragma once

#include "server/kube/cluster/cluster.hpp"
#include "server/net/asio.hpp"
#include "server/serve/metrics/metrics.hpp"

namespace tpuwh::server::app {

// A kind that the API server does not serve (a cluster without KubeRay) has no samples.
void cluster_metrics(const kube::cluster::ClusterStatus& status, net::TimePoint now,
                     metrics::Samples& out);

}  // namespace tpuwh::server::app
