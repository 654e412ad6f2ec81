// The command line of tpu-webhook: which subcommand, with which options.
#pragma once

#include "server/console.hpp"

#include <functional>
#include <stdexcept>
#include <string>

namespace tpuwh::server {

// What the command line asks for: a text to print (--help, --version), or
// something to run that returns the exit code.
struct Command {
  std::string text;
  std::function<int(const Console& console)> run;
};

// A command line that makes no sense, in one line: exit code 2, as review's for input that
// cannot be used; 1 is a denial there and a failure elsewhere.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Throws UsageError.
Command parse_command_line(int argc, const char* const* argv);

}  // namespace tpuwh::server
