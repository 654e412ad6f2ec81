#include "server/cli/run.hpp"

#include "server/settings/usage_error.hpp"
#include "server/text/visible.hpp"

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

int print_error(std::string_view name, std::string_view what, int code) {
  std::cerr << name << ": " << text::visible(what, true) << '\n';
  return code;
}

// Opens each standard descriptor that is closed, so that no other file or connection gets its
// number. Its use fails as that of a closed one does.
void occupy_standard_descriptors() {
  for (const int file : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (::fcntl(file, F_GETFD) < 0) ::open("/dev/null", file == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

int exit_code(std::string_view name, const std::function<int()>& program) {
  try {
    return program();
  } catch (const settings::UsageError& error) {
    return print_error(name, error.what(), 2);
  } catch (const std::exception& failure) {
    return print_error(name, failure.what(), 1);
  }
}

}  // namespace

int run(std::string_view name, const std::function<int()>& program) {
  occupy_standard_descriptors();
  // A reader of our output or a peer that goes away is an error code, no signal.
  std::signal(SIGPIPE, SIG_IGN);
  // A write to a file that has reached `ulimit -f` is an error code as well, no signal.
  std::signal(SIGXFSZ, SIG_IGN);
  const int code = exit_code(name, program);
  if (std::cout.flush()) return code;
  // std::cout does not keep the error number of the failed write. To learn it, one more byte is
  // written, which fails with the same error. EPIPE does not count as a failure, because a reader
  // that has closed the pipe needs no more output.
  if (::write(STDOUT_FILENO, "\n", 1) < 0 && errno == EPIPE) return code;
  return print_error(
      name,
      fmt::format("cannot write all of the result to standard output: {}", std::strerror(errno)),
      2);
}

}  // namespace tpuwh::server::cli
