// Parses the command line of kubectl-tpu: the subcommand and its options.
#pragma once

#include "kubectl/text/console.hpp"
#include "server/settings/usage_error.hpp"

#include <functional>
#include <string>

namespace CLI {
class App;
}

namespace tpuwh::server::cli::kubectl_tpu {

// The result of a command line: a text to print (--help, --version), or a function to run, which
// returns the exit code.
struct Command {
  std::string text;
  std::function<int(const text::Console& console)> run;
};

// Adds the name of the program, its commands with their options, and the help texts to `app`. When
// `app` parses a command line, `app` stores the user's command in `chosen`. So `chosen` must exist
// until `app` has parsed the command line.
void describe(CLI::App& app, Command& chosen);

// Returns the command that the arguments choose. Throws UsageError if the arguments are not valid.
Command parse_command_line(int argc, const char* const* argv);

}  // namespace tpuwh::server::cli::kubectl_tpu
