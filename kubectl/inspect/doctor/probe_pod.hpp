// A Pod of a workload API that tpu-webhook changes and that nobody has to own: a member of a
// multi-host slice, as its controller would make it, that Pod Security's level `restricted` admits.
//
// It is only ever sent as a dry run. It needs no place of the ledger, names no object that has to
// exist but the namespace's ServiceAccount `default`, and asks for 4 chips, 100m CPU and 64Mi.
#pragma once

#include "kubectl/inspect/doctor/view.hpp"
#include "server/text/json.hpp"

#include <string>
#include <string_view>

namespace tpuwh::server::doctor {

//   workload  a name of the workload table
//   prefix    of our annotations, "tpu-webhook.dev/"
//   nonce     webhook::answer::is_nonce(); its first letters are part of the Pod's name
Json probe_pod(std::string_view workload, const std::string& prefix, const std::string& nonce);

}  // namespace tpuwh::server::doctor
