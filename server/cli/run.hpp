// What the main() of a program does.
#pragma once

#include "server/cli/cli.hpp"

namespace tpuwh::server::cli {

// Parses, runs, and says what went wrong in one line. Returns the exit code: 2 also if standard
// output did not take all that the command printed, unless its reader closed the pipe.
int run(const Program& program, int argc, const char* const* argv);

}  // namespace tpuwh::server::cli
