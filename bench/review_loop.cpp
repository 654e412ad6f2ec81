// review_loop read|admit|hinted ROUNDS [PAYLOAD]: one part of a review so many times, and nothing
// else. callgrind counts it; the difference of two counts is the cost of a round. Without a
// payload (bench/payload.hpp) it is the JobSet's. `hinted` is an admit beside a cluster that has
// node pools the slice is to avoid.
//
// review_loop allocations ROUNDS [PAYLOAD] prints what so many rounds of admit allocate once
// one has gone before.
#include "bench/allocations.hpp"
#include "bench/payload.hpp"
#include "webhook/answer/admit.hpp"
#include "webhook/pools/pools.hpp"
#include "webhook/read/review.hpp"

#include <cstdlib>
#include <iostream>
#include <string>
#include <string_view>
#include <utility>

using namespace tpuwh;

namespace {

// Node pools of the payloads' shape. Of two a node is cordoned: no slice is whole on them.
class SomeUnfit : public webhook::read::ClusterView {
 public:
  SomeUnfit() {
    for (const std::string pool : {"pool-a", "pool-b", "pool-c", "pool-d"})
      for (int host = 0; host < 4; ++host) {
        webhook::pools::Node node{.name = pool + '-' + std::to_string(host), .chips = 4};
        node.labels.add(webhook::read::key::node_pool, pool);
        node.labels.add(webhook::read::key::accelerator, "tpu-v6e-slice");
        node.labels.add(webhook::read::key::topology, "4x4");
        node.unschedulable = pool < "pool-c" && host == 0;
        pools_.put(std::move(node));
      }
  }
  void unfit_pools(const webhook::read::PoolQuestion& question,
                   base::NameList& out) const override {
    pools_.unfit(question, out);
  }

 private:
  webhook::pools::Pools pools_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3 || argc > 4) {
    std::cerr << "usage: review_loop read|admit|hinted|allocations ROUNDS [jobset|ray|lws|…]\n";
    return 2;
  }
  const std::string_view part = argv[1];
  const int rounds = std::atoi(argv[2]);
  std::string text = bench::payload(argc == 4 ? argv[3] : "jobset");
  const webhook::read::Body body(text);
  const webhook::config::Config config;
  const webhook::read::NoCluster no_cluster;
  const SomeUnfit some_unfit;
  const webhook::read::ClusterView& cluster =
      part == "hinted" ? static_cast<const webhook::read::ClusterView&>(some_unfit) : no_cluster;
  webhook::answer::Workspace workspace;
  base::json::Reader reader;
  webhook::read::Review review;
  webhook::read::Pod pod;
  std::size_t sum = 0;
  std::size_t before = 0;
  for (int i = 0; i < rounds; ++i) {
    if (i == 1) before = bench::allocations();
    if (part != "read")
      sum += webhook::answer::admit(body, config, cluster, workspace).body.size();
    else {
      pod.clear();
      sum += webhook::read::read_review(body.bytes(), config.prefix, reader, review, pod) ? 1u : 0u;
    }
  }
  if (part == "allocations") std::cout << bench::allocations() - before << '\n';
  return sum > 0 ? 0 : 1;
}
