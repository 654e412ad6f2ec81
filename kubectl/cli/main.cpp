#include "kubectl/cli/cli.hpp"
#include "server/cli/run.hpp"

#include <unistd.h>

#include <iostream>

using namespace tpuwh::server::cli;

int main(int argc, char** argv) {
  return run("kubectl-tpu", [&] {
    const auto command = kubectl_tpu::parse_command_line(argc, argv);
    const bool terminal = isatty(STDOUT_FILENO) != 0;
    if (command.run)
      return command.run({.in = std::cin,
                          .out = std::cout,
                          .err = std::cerr,
                          .terminal = terminal,
                          .interactive = terminal && isatty(STDIN_FILENO) != 0,
                          .watched = isatty(STDERR_FILENO) != 0});
    std::cout << command.text;
    return 0;
  });
}
