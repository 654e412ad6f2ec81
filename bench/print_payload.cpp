// print_payload [NAME]: a review that the benchmarks are about, the JobSet's by default.
#include "bench/payload.hpp"

#include <exception>
#include <iostream>

int main(int argc, char** argv) {
  try {
    std::cout << tpuwh::bench::payload(argc > 1 ? argv[1] : "jobset");
  } catch (const std::exception& failure) {
    std::cerr << "print_payload: " << failure.what() << "\n";
    return 1;
  }
}
