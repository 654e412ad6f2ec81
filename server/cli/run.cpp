#include "server/cli/run.hpp"

#include "server/text/printed.hpp"

#include <unistd.h>

#include <csignal>
#include <exception>
#include <iostream>

namespace tpuwh::server::cli {

namespace {

int tell(const Program& program, const char* what, int code) {
  std::cerr << program.file << ": " << text::printed_lines(what).text() << '\n';
  return code;
}

}  // namespace

int run(const Program& program, int argc, const char* const* argv) {
  // A reader of our output or a peer that goes away is an error code, no signal.
  std::signal(SIGPIPE, SIG_IGN);
  // So is a file that has reached `ulimit -f`.
  std::signal(SIGXFSZ, SIG_IGN);
  try {
    const auto command = parse_command_line(program, argc, argv);
    const bool terminal = isatty(STDOUT_FILENO) != 0;
    if (command.run)
      return command.run({.in = std::cin,
                          .out = std::cout,
                          .err = std::cerr,
                          .terminal = terminal,
                          .interactive = terminal && isatty(STDIN_FILENO) != 0,
                          .watched = isatty(STDERR_FILENO) != 0,
                          .program = program.file});
    std::cout << command.text << std::flush;
    return 0;
  } catch (const settings::UsageError& error) {
    return tell(program, error.what(), 2);
  } catch (const std::exception& failure) {
    return tell(program, failure.what(), 1);
  }
}

}  // namespace tpuwh::server::cli
