// The command line of tpu-webhook: which subcommand, with which options.
#pragma once

#include "server/settings/usage_error.hpp"
#include "server/text/console.hpp"

#include <functional>
#include <string>

namespace tpuwh::server::cli {

// What the command line asks for: a text to print (--help, --version), or
// something to run that returns the exit code.
struct Command {
  std::string text;
  std::function<int(const text::Console& console)> run;
};

// Throws UsageError.
Command parse_command_line(int argc, const char* const* argv);

}  // namespace tpuwh::server::cli
