// The standard process metrics: memory, CPU time, open files, start.
#pragma once

#include "server/serve/metrics/metrics.hpp"

namespace tpuwh::server::metrics {

// From /proc/self; what cannot be read is left out. Names as in every Prometheus client.
// source: https://prometheus.io/docs/instrumenting/writing_clientlibs/#process-metrics
void process_metrics(Samples& out);

}  // namespace tpuwh::server::metrics
