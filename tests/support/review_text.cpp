// Prints what `kubectl tpu review - --output text` prints. scripts/demo builds this program instead of
// kubectl-tpu, of which it compiles a sixth.

#include "kubectl/review/command.hpp"

#include <iostream>

int main() {
  using namespace tpuwh::server::review;
  return run_review({.output = ReviewOutput::text},
                    {.in = std::cin, .out = std::cout, .err = std::cerr, .terminal = false});
}
