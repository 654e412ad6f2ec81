// Prints what `kubectl tpu review - --output text` prints. scripts/demo builds this program instead of
// kubectl-tpu, of which it compiles a sixth.

#include "kubectl/review/command.hpp"

#include <iostream>

int main() {
  tpuwh::server::review::ReviewOptions options;
  options.output = tpuwh::server::review::ReviewOutput::text;
  return run_review(options,
                    {.in = std::cin, .out = std::cout, .err = std::cerr, .terminal = false});
}
