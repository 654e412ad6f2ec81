// The common part of main() of both programs.
#pragma once

#include <functional>
#include <string_view>

namespace tpuwh::server::cli {

// Runs `program`, which returns the exit code, and prints an exception of it in one line on
// standard error. Returns the exit code: 2 also if standard output did not take all that was
// printed, unless its reader closed the pipe.
//
//   name  begins the line ("kubectl-tpu")
int run(std::string_view name, const std::function<int()>& program);

}  // namespace tpuwh::server::cli
