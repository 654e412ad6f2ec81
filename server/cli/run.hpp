// The part of main() that tpu-webhook and kubectl-tpu have in common.
#pragma once

#include <functional>
#include <string_view>

namespace tpuwh::server::cli {

// Calls `program` and returns its exit code. If `program` throws, prints the message in one line on
// standard error and returns 2 for a UsageError, otherwise 1. Also returns 2 if writing to standard
// output failed. A pipe that its reader has closed does not count as a failure.
//
//   name  the name of the program, with which the line on standard error begins ("kubectl-tpu")
int run(std::string_view name, const std::function<int()>& program);

}  // namespace tpuwh::server::cli
