// An object sent as a dry run: the request alone. Nothing of it is stored.
#pragma once

#include "kubectl/inspect/dry_run/outcome.hpp"
#include "kubectl/inspect/running/api_server.hpp"

#include <string>

namespace tpuwh::server::dry_run {

// With the rights of whoever runs the program.
Answer try_create(running::ApiServer& session, const kube::client::Resource& resource,
                  const Json& object);

// For the annotation of a probe (webhook/answer/probe.hpp): 128 bits that nobody can guess, so that
// nobody else's warning passes for the answer.
std::string random_nonce();

}  // namespace tpuwh::server::dry_run
