// The admission program: what stands in the way of Pods, and nothing else.
#pragma once

#include "server/cli/cli.hpp"

namespace tpuwh::server::cli::tpu_webhook {

const Program& program();

}  // namespace tpuwh::server::cli::tpu_webhook
