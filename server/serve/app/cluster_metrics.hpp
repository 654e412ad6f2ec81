// The metrics of a server's cluster: the state of each watch, the number of objects in the store,
// and the requests of the ledger and of claims.
#pragma once

#include "server/kube/cluster/cluster.hpp"
#include "server/net/asio.hpp"
#include "server/serve/metrics/metrics.hpp"

namespace tpuwh::server::app {

// A kind that the API server does not serve (a cluster without KubeRay) has no samples.
void cluster_metrics(const kube::cluster::ClusterStatus& status, net::TimePoint now,
                     metrics::Samples& out);

}  // namespace tpuwh::server::app
