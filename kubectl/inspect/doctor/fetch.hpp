// Reads what `doctor` looks at. Nothing is written.
#pragma once

#include "kubectl/inspect/doctor/view.hpp"
#include "kubectl/inspect/running/api_server.hpp"
#include "kubectl/inspect/running/installation.hpp"

namespace tpuwh::server::doctor {

// What may not be read, or is not there, is said in its place of the view.
//   ns_is_asked  `installed` is of -n
View fetch(running::ApiServer& session, const running::Installation& installed, bool ns_is_asked);

// One object.
Read get_object(running::ApiServer& session, const kube::client::Resource& resource,
                const std::string& name);

}  // namespace tpuwh::server::doctor
