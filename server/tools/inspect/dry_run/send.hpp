// An object sent as a dry run: the request alone. Nothing of it is stored.
#pragma once

#include "server/tools/inspect/dry_run/outcome.hpp"
#include "server/tools/inspect/running/api_server.hpp"

namespace tpuwh::server::dry_run {

// With the rights of whoever runs the program.
Answer try_create(running::ApiServer& session, const kube::client::Resource& resource,
                  const Json& object);

}  // namespace tpuwh::server::dry_run
