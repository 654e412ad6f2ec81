// What has become of a Pod since it was made: of its object what the webhook does not read.
#pragma once

#include "server/text/json.hpp"
#include "server/tools/inspect/slices/cluster.hpp"

namespace tpuwh::server::slices {

// The node, the tolerations, the phase, the times, the revision of the template, and how the
// containers of pod.processes, which are there already, stand.
void read_status(const Json& object, SeenPod& pod);

}  // namespace tpuwh::server::slices
