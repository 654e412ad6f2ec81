// A proxy that somebody has set for the program, which uses none: it asks the API server directly.
#pragma once

#include <string>

namespace tpuwh::server::kube::access {

// "HTTPS_PROXY" or "https_proxy", whichever is set to something; "" if neither is.
std::string unused_proxy();

}  // namespace tpuwh::server::kube::access
