#include "server/cli/run.hpp"
#include "server/cli/tpu_webhook/program.hpp"

#include <iostream>

using namespace tpuwh::server::cli;

int main(int argc, char** argv) {
  return run("tpu-webhook", [&] {
    const tpu_webhook::Command command = tpu_webhook::parse_command_line(argc, argv);
    if (command.run) return command.run();
    std::cout << command.text;
    return 0;
  });
}
