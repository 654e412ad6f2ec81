// review_loop read|admit ROUNDS [PAYLOAD]: one part of a review so many times, and nothing
// else. callgrind counts it; the difference of two counts is the cost of a round. Without a
// payload (bench/payload.hpp) it is the JobSet's.
#include "bench/payload.hpp"
#include "webhook/answer/admit.hpp"
#include "webhook/read/review.hpp"

#include <cstdlib>
#include <iostream>
#include <string_view>

using namespace tpuwh;

int main(int argc, char** argv) {
  if (argc < 3 || argc > 4) {
    std::cerr << "usage: review_loop read|admit ROUNDS [jobset|ray|lws]\n";
    return 2;
  }
  const bool whole = std::string_view(argv[1]) == "admit";
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
  for (int i = 0; i < rounds; ++i) {
    if (whole)
      sum += webhook::answer::admit(body, config, cluster, workspace).body.size();
    else
      sum += webhook::read::read_review(body.bytes(), config.prefix, reader, review, pod) ? 1u : 0u;
  }
  return sum > 0 ? 0 : 1;
}
