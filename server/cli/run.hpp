// What the main() of a program does.
#pragma once

#include "server/cli/cli.hpp"

namespace tpuwh::server::cli {

// Parses, runs, and says what went wrong in one line. Returns the exit code.
int run(const Program& program, int argc, const char* const* argv);

}  // namespace tpuwh::server::cli
