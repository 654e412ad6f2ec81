// review_loop read|admit ROUNDS [PAYLOAD]: one part of a review so many times, and nothing
// else. callgrind counts it; the difference of two counts is the cost of a round. Without a
// payload (bench/payload.hpp) it is the JobSet's.
//
// review_loop allocations ROUNDS [PAYLOAD] prints what so many rounds of admit allocate once
// one has gone before.
#include "bench/allocations.hpp"
#include "bench/payload.hpp"
#include "webhook/answer/admit.hpp"
#include "webhook/read/review.hpp"

#include <cstdlib>
#include <iostream>
#include <string_view>

using namespace tpuwh;

int main(int argc, char** argv) {
  if (argc < 3 || argc > 4) {
    std::cerr << "usage: review_loop read|admit|allocations ROUNDS [jobset|ray|lws]\n";
    return 2;
  }
  const std::string_view part = argv[1];
  const int rounds = std::atoi(argv[2]);
  std::string text = bench::payload(argc == 4 ? argv[3] : "jobset");
  const webhook::read::Body body(text);
  const webhook::config::Config config;
  const webhook::read::NoCluster cluster;
  webhook::answer::Workspace workspace;
  webhook::text::JsonReader reader;
  webhook::read::Review review;
  webhook::read::Pod pod;
  std::size_t sum = 0;
  std::size_t before = 0;
  for (int i = 0; i < rounds; ++i) {
    if (i == 1) before = bench::allocations();
    if (part != "read")
      sum += webhook::answer::admit(body, config, cluster, workspace).body.size();
    else
      sum += webhook::read::read_review(body.bytes(), config.prefix, reader, review, pod) ? 1u : 0u;
  }
  if (part == "allocations") std::cout << bench::allocations() - before << '\n';
  return sum > 0 ? 0 : 1;
}
