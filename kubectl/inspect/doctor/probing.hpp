// `doctor --probe`: Pods that are sent as dry runs, and what came back.
#pragma once

#include "kubectl/inspect/doctor/view.hpp"
#include "kubectl/inspect/running/api_server.hpp"

#include <string>

namespace tpuwh::server::doctor {

// What the judgement of a probe reads and no more, as far as it may be read: the
// MutatingWebhookConfiguration and the namespace.
View fetch_for_probes(running::ApiServer& session, const std::string& installed_in,
                      const std::string& probe_ns);

// One Pod of each workload API that is handled, by what the view knows of the installation, in
// namespace `probe_ns`; the answers are in view.probes. Nothing is stored.
void send_probes(running::ApiServer& session, const std::string& probe_ns, View& view);

}  // namespace tpuwh::server::doctor
