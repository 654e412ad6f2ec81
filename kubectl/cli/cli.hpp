// The command line of kubectl-tpu: which subcommand, with which options.
#pragma once

#include "kubectl/text/console.hpp"
#include "server/settings/usage_error.hpp"

#include <functional>
#include <string>

namespace CLI {
class App;
}

namespace tpuwh::server::cli::kubectl_tpu {

// The request of a command line: a text to print (--help, --version), or a function to run, which
// returns the exit code.
struct Command {
  std::string text;
  std::function<int(const text::Console& console)> run;
};

// Gives `app` its name, the program's commands with their options, and helps. Once it is parsed,
// `chosen` is the command; both must live until then.
void describe(CLI::App& app, Command& chosen);

// Throws UsageError.
Command parse_command_line(int argc, const char* const* argv);

}  // namespace tpuwh::server::cli::kubectl_tpu
