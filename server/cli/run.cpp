#include "server/cli/run.hpp"

#include "server/text/printed.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <exception>
#include <iostream>

namespace tpuwh::server::cli {

namespace {

int tell(const Program& program, std::string_view what, int code) {
  std::cerr << program.file << ": " << text::printed_lines(what).text() << '\n';
  return code;
}

// Opens each standard descriptor that is closed, so that no other file or connection gets its
// number. Its use fails as that of a closed one does.
void occupy_standard_descriptors() {
  for (const int file : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (::fcntl(file, F_GETFD) < 0) ::open("/dev/null", file == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

int run_command(const Program& program, int argc, const char* const* argv) {
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
    std::cout << command.text;
    return 0;
  } catch (const settings::UsageError& error) {
    return tell(program, error.what(), 2);
  } catch (const std::exception& failure) {
    return tell(program, failure.what(), 1);
  }
}

}  // namespace

int run(const Program& program, int argc, const char* const* argv) {
  occupy_standard_descriptors();
  // A reader of our output or a peer that goes away is an error code, no signal.
  std::signal(SIGPIPE, SIG_IGN);
  // A write to a file that has reached `ulimit -f` is an error code as well, no signal.
  std::signal(SIGXFSZ, SIG_IGN);
  const int code = run_command(program, argc, argv);
  if (std::cout.flush()) return code;
  // The stream does not keep the reason: one more byte fails for the same one. A reader that closes
  // its pipe has enough.
  if (::write(STDOUT_FILENO, "\n", 1) < 0 && errno == EPIPE) return code;
  return tell(
      program,
      fmt::format("cannot write all of the result to standard output: {}", std::strerror(errno)),
      2);
}

}  // namespace tpuwh::server::cli
