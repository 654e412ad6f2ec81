// What has become of a Pod since it was made: of its object what the webhook does not read.
#pragma once

#include "kubectl/inspect/slices/cluster.hpp"
#include "server/text/json.hpp"

namespace tpuwh::server::slices {

// The node, the tolerations, the phase, the times, the revision of the template, and how the
// containers of pod.processes, which are there already, stand.
void read_status(const Json& object, SeenPod& pod);

}  // namespace tpuwh::server::slices
