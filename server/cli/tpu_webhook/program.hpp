// The admission program: the commands that a server needs, and no others.
#pragma once

#include <functional>
#include <string>

namespace tpuwh::server::cli::tpu_webhook {

// The request of a command line.
struct Command {
  std::string text;          // to print (--help, version)
  std::function<int()> run;  // otherwise: to run; returns the exit code
};

// Parses the command line. Throws UsageError.
Command parse_command_line(int argc, const char* const* argv);

}  // namespace tpuwh::server::cli::tpu_webhook
