// Where tpu-webhook is installed in a cluster.
#pragma once

#include "kubectl/inspect/running/api_server.hpp"
#include "server/text/json.hpp"

#include <string>

namespace tpuwh::server::running {

// What the chart calls its objects, all of them.
inline constexpr auto installed_name = "tpu-webhook";
// Where the chart's README installs it.
inline constexpr auto usual_namespace = "tpu-webhook-system";

struct Installation {
  std::string ns;
  std::string source;  // who says so, for messages
};

// The namespace of the Service that a MutatingWebhookConfiguration calls; "" if it calls none.
std::string installation_namespace(const Json& configuration);

// `asked` (--namespace) if it is not empty; else the namespace of the Service that the
// MutatingWebhookConfiguration tpu-webhook calls; else, in a Pod, the Pod's; else
// tpu-webhook-system.
//
//   errors  api_access: the API server was not reached
Result<Installation> find_installation(running::ApiServer& session, const std::string& asked);

}  // namespace tpuwh::server::running
