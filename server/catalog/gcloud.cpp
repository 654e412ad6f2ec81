#include "server/catalog/gcloud.hpp"

#include "topology/catalog.hpp"

#include <fmt/format.h>

namespace tpuwh::server::catalog {

namespace {

using topology::NodePool;
using Words = std::vector<std::string>;

// "v6e-2x4-4t": two ways to make a topology are two names.
std::string base_name(const NodePool& pool) {
  const auto& slice = pool.slice;
  return fmt::format("{}-{}-{}t", slice.generation->type_prefix, slice.dims.text(),
                     slice.chips_per_host);
}

// TPU7x places multi-host pools by a resource policy, which carries the topology
// (reference: doc-gke-ironwood); its single-host nodes have one topology and need neither.
bool needs_policy(const NodePool& pool) {
  return topology::is_ironwood(pool.slice.accelerator) && pool.slice.multi_host();
}

GcloudCommand workload_policy(const NodePool& pool) {
  return {{"gcloud", "compute", "resource-policies", "create", "workload-policy", base_name(pool),
           "--region=$REGION", "--type=HIGH_THROUGHPUT",
           "--accelerator-topology=" + pool.slice.dims.text()}};
}

// The extra networks carry jumbo frames: 8,896 is the largest MTU of a VPC network.
std::vector<GcloudCommand> networks() {
  std::vector<GcloudCommand> commands;
  for (const int i : {1, 2}) {
    commands.push_back({{"gcloud", "compute", "networks", "create",
                         fmt::format("$CLUSTER-net-{}", i), "--subnet-mode=custom", "--mtu=8896"}});
  }
  for (const int i : {1, 2}) {
    commands.push_back(
        {{"gcloud", "compute", "networks", "subnets", "create",
          fmt::format("$CLUSTER-subnet-{}", i), fmt::format("--network=$CLUSTER-net-{}", i),
          "--region=$REGION", fmt::format("--range=10.{}.0.0/16", 200 + i)}});
  }
  return commands;
}

void add_topology(Words& words, const NodePool& pool) {
  if (needs_policy(pool)) {
    words.push_back("--placement-policy=" + base_name(pool));
  } else if (!topology::is_ironwood(pool.slice.accelerator)) {
    words.push_back("--tpu-topology=" + pool.slice.dims.text());
  }
}

// A multi-host pool grows from nothing to the whole slice at once, so its maximum is its size.
// Flex-start waits for capacity by growing a pool that exists.
void add_nodes(Words& words, const NodePool& pool, const PoolOptions& options) {
  const std::uint64_t nodes = nodes_of_pool(pool, options);
  if (options.autoscale || options.flex_start) {
    words.insert(words.end(), {"--enable-autoscaling", "--num-nodes=0", "--min-nodes=0",
                               fmt::format("--max-nodes={}", nodes)});
  } else {
    words.push_back(fmt::format("--num-nodes={}", nodes));
  }
}

void add_capacity(Words& words, const PoolOptions& options) {
  if (options.flex_start) {
    words.insert(words.end(), {"--flex-start", "--reservation-affinity=none"});
  }
  if (options.spot) words.push_back("--spot");
  if (!options.reservation.empty()) {
    words.insert(words.end(),
                 {"--reservation-affinity=specific", "--reservation=" + options.reservation});
  }
}

void add_networks(Words& words) {
  for (const int i : {1, 2}) {
    words.push_back(fmt::format(
        "--additional-node-network=network=$CLUSTER-net-{0},subnetwork=$CLUSTER-subnet-{0}", i));
  }
  words.push_back("--node-labels=cloud.google.com/gke-networking-dra-driver=true");
  words.push_back("--enable-gvnic");
}

GcloudCommand node_pool(const NodePool& pool, const PoolOptions& options, const std::string& name) {
  Words words{"gcloud",
              "container",
              "node-pools",
              "create",
              name,
              "--cluster=$CLUSTER",
              "--location=$LOCATION",
              "--node-locations=$ZONE",
              "--machine-type=" + std::string(pool.machine->name)};
  add_topology(words, pool);
  add_nodes(words, pool, options);
  add_capacity(words, options);
  if (options.dranet) add_networks(words);
  return {words};
}

}  // namespace

std::string GcloudCommand::text() const {
  std::string result;
  for (const auto& word : words) {
    const bool is_flag = word.starts_with("--");
    result += result.empty() ? word : (is_flag ? " \\\n    " : " ") + word;
  }
  return result;
}

std::vector<GcloudCommand> gcloud_commands(const NodePool& pool, const PoolOptions& options) {
  std::vector<GcloudCommand> commands;
  if (options.dranet) commands = networks();
  if (needs_policy(pool)) commands.push_back(workload_policy(pool));
  const std::uint32_t pools = pool_count(pool, options);
  for (std::uint32_t i = 0; i < pools; ++i) {
    const std::string suffix = pools == 1 ? "" : fmt::format("-{}", i);
    commands.push_back(node_pool(pool, options, base_name(pool) + suffix));
  }
  return commands;
}

}  // namespace tpuwh::server::catalog
