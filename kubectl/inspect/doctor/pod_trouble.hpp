// Why a replica is not there, as its Pod says it.
#pragma once

#include "kubectl/inspect/doctor/view.hpp"
#include "server/text/json.hpp"

#include <string>

namespace tpuwh::server::doctor {

// "Pod a: container tpu-webhook waits (CrashLoopBackOff), ended before (OOMKilled, exit code 137),
// 9 restarts"; "" of a Pod that says nothing is wrong, also of one whose containers are being made.
// Messages are the kubelet's and the scheduler's own.
std::string trouble_of(const Json& pod);

}  // namespace tpuwh::server::doctor
