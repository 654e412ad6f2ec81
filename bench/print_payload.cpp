// Prints the review that the benchmarks are about.
#include "bench/payload.hpp"

#include <iostream>

int main() {
  std::cout << tpuwh::bench::jobset_review();
}
