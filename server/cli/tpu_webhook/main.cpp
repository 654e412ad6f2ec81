#include "server/cli/run.hpp"
#include "server/cli/tpu_webhook/program.hpp"

int main(int argc, char** argv) {
  return tpuwh::server::cli::run(tpuwh::server::cli::tpu_webhook::program(), argc, argv);
}
