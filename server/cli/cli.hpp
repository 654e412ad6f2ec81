// A command line: which program, which subcommand, with which options.
#pragma once

#include "server/settings/usage_error.hpp"
#include "server/text/console.hpp"

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace CLI {
class App;
}

namespace tpuwh::server::cli {

// What a command line asks for: a text to print (--help, --version), or
// something to run that returns the exit code.
struct Command {
  std::string text;
  std::function<int(const text::Console& console)> run;
};

// One of the two programs.
struct Program {
  std::string_view file;      // "kubectl-tpu": how its errors begin, and what says its version
  std::string_view called;    // "kubectl tpu": as a person types it
  std::string_view what;      // in a few words
  std::string_view examples;  // below its options
  void (*add_commands)(CLI::App& program, Command& chosen);
  // The answer to a shell that asks which words may follow, or nullopt where no shell asks. Null:
  // the program has no completion.
  std::optional<std::string> (*completed)(const CLI::App& program, std::string_view file,
                                          std::span<const std::string> arguments) = nullptr;
  // Commands that the other one has, for who types them here; and how that is called.
  std::span<const std::string_view> elsewhere;
  std::string_view other;
};

// Gives `app` the program's commands with their options and helps. Whatever is chosen stands in
// `chosen` once it was parsed; both must live until then.
void describe(CLI::App& app, const Program& program, Command& chosen);

// Beside the program's own commands: help and version. Throws UsageError.
Command parse_command_line(const Program& program, int argc, const char* const* argv);

}  // namespace tpuwh::server::cli
