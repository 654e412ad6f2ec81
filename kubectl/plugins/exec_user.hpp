// A kubeconfig's user whose credentials come from a program (`exec`): read into an ExecPlugin.
#pragma once

#include "base/result.hpp"
#include "server/kube/access/api_config.hpp"
#include "server/kube/access/kubeconfig_file.hpp"

#include <memory>

namespace tpuwh::server::plugins {

// Returns the plugin that a user's `exec` describes, and starts no program yet. The plugin gets
// `cluster`, which was read into `config`, if it asks for it. A kube::access::ExecReader.
//
//   errors  kube::access::Errc::api_access: the file, the line and the member that is wrong
Result<std::shared_ptr<kube::access::Credentials>> exec_credentials(
    kube::access::KubeconfigFields exec, const kube::access::KubeconfigFields& cluster,
    const kube::access::ApiConfig& config);

}  // namespace tpuwh::server::plugins
