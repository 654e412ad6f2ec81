// What is known of a server's cluster, as metrics: how fresh, how much, and what the ledger does.
#pragma once

#include "server/kube/cluster/cluster.hpp"
#include "server/metrics/metrics.hpp"
#include "server/net/asio.hpp"

namespace tpuwh::server {

// A kind that the API server does not serve (a cluster without KubeRay) has no samples.
void cluster_metrics(const kube::ClusterStatus& status, TimePoint now, Samples& out);

}  // namespace tpuwh::server
