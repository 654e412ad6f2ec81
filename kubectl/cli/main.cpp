#include "kubectl/cli/program.hpp"
#include "server/cli/run.hpp"

int main(int argc, char** argv) {
  return tpuwh::server::cli::run(tpuwh::server::cli::kubectl_tpu::program(), argc, argv);
}
