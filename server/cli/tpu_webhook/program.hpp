// The command line of tpu-webhook, which has only the commands that a server needs.
#pragma once

#include <functional>
#include <string>

namespace tpuwh::server::cli::tpu_webhook {

// The result of parsing a command line: either a function to run or a text to print.
struct Command {
  std::string text;          // printed if `run` is empty (--help, version)
  std::function<int()> run;  // returns the exit code; empty if there is only a text
};

// Parses the command line. Throws UsageError if the command line is not valid.
Command parse_command_line(int argc, const char* const* argv);

}  // namespace tpuwh::server::cli::tpu_webhook
