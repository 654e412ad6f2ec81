// tpu-webhook: parse, run, say what went wrong in one line.
#include "server/cli/cli.hpp"
#include "server/text/printed.hpp"

#include <unistd.h>

#include <csignal>
#include <exception>
#include <iostream>

namespace {

int tell(const char* what, int code) {
  std::cerr << "tpu-webhook: " << tpuwh::server::text::printed_lines(what).text() << '\n';
  return code;
}

}  // namespace

int main(int argc, char** argv) {
  // A reader of our output or a peer that goes away is an error code, no signal.
  std::signal(SIGPIPE, SIG_IGN);
  // So is a file that has reached `ulimit -f`.
  std::signal(SIGXFSZ, SIG_IGN);
  try {
    const auto command = tpuwh::server::cli::parse_command_line(argc, argv);
    const bool terminal = isatty(STDOUT_FILENO) != 0;
    if (command.run)
      return command.run({std::cin, std::cout, std::cerr, terminal,
                          terminal && isatty(STDIN_FILENO) != 0, isatty(STDERR_FILENO) != 0});
    std::cout << command.text << std::flush;
    return 0;
  } catch (const tpuwh::server::settings::UsageError& error) {
    return tell(error.what(), 2);
  } catch (const std::exception& failure) {
    return tell(failure.what(), 1);
  }
}
