#include "kubectl/reference/catalog/gcloud.hpp"

#include "topology/catalog.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace tpuwh::server::catalog {

namespace {

using topology::layout::NodePool;
using Words = std::vector<std::string>;

// Of node pools that differ in a number alone, more than anybody reads.
constexpr std::uint32_t most_written_out = 4;

// "tpu7x-4x4x4-block"
std::string block_name(const NodePool& pool, const PoolOptions& options) {
  return fmt::format("{}-{}-block", pool.slice.generation->type_prefix,
                     blocks(pool, options)->block.text());
}

// "v6e-2x4-4t": two ways to make a topology are two names. A block serves slices of any shape.
std::string base_name(const NodePool& pool, const PoolOptions& options) {
  if (options.dynamic_slicing) return block_name(pool, options);
  const auto& slice = pool.slice;
  return fmt::format("{}-{}-{}t", slice.generation->type_prefix, slice.dims.text(),
                     slice.chips_per_host);
}

// A resource policy carries the topology of multi-host pools (reference: doc-gke-ironwood);
// single-host nodes of such a generation have one topology and need neither.
bool needs_policy(const NodePool& pool, const PoolOptions& options) {
  return options.dynamic_slicing ||
         (pool.slice.generation->placed_by_policy && pool.slice.multi_host());
}

std::string policy_name(const NodePool& pool, const PoolOptions& options) {
  return base_name(pool, options) + (options.dynamic_slicing ? "s" : "");
}

// Of blocks: GKE, "Use dynamic slicing with a custom scheduler" (how-to/create-dynamic-slices),
// "Create a workload policy", stored copy of 2026.
GcloudCommand workload_policy(const NodePool& pool, const PoolOptions& options) {
  const auto made_of = blocks(pool, options);
  const topology::Dims& dims = made_of ? made_of->block : pool.slice.dims;
  Words words{"gcloud",
              "compute",
              "resource-policies",
              "create",
              "workload-policy",
              policy_name(pool, options),
              "--region=$REGION",
              "--type=HIGH_THROUGHPUT",
              "--accelerator-topology=" + dims.text()};
  if (made_of) words.push_back("--accelerator-topology-mode=provision_only");
  return {words};
}

// The same page, "Enable the slice controller".
GcloudCommand slice_controller() {
  return {{"gcloud", "container", "clusters", "update", "$CLUSTER", "--location=$LOCATION",
           "--enable-slice-controller"}};
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

void add_topology(Words& words, const NodePool& pool, const PoolOptions& options) {
  if (needs_policy(pool, options)) {
    words.push_back("--placement-policy=" + policy_name(pool, options));
  } else if (!pool.slice.generation->placed_by_policy) {
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
  const std::string of_blocks = options.dynamic_slicing ? "$RESERVATION" : "";
  const std::string& reservation = options.reservation.empty() ? of_blocks : options.reservation;
  if (reservation.empty()) return;
  words.insert(words.end(), {"--reservation-affinity=specific", "--reservation=" + reservation});
}

void add_networks(Words& words) {
  for (const int i : {1, 2}) {
    words.push_back(fmt::format(
        "--additional-node-network=network=$CLUSTER-net-{0},subnetwork=$CLUSTER-subnet-{0}", i));
  }
}

void add_labels(Words& words, const PoolOptions& options) {
  Words labels;
  if (options.dranet) labels.push_back("cloud.google.com/gke-networking-dra-driver=true");
  for (const auto& [key, value] : options.node_labels)
    labels.push_back(fmt::format("{}={}", key, value));
  if (!labels.empty()) words.push_back(fmt::format("--node-labels={}", fmt::join(labels, ",")));
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
  add_topology(words, pool, options);
  add_nodes(words, pool, options);
  add_capacity(words, options);
  if (options.dranet) add_networks(words);
  add_labels(words, options);
  if (options.dranet) words.push_back("--enable-gvnic");
  if (options.metadata_server) words.push_back("--workload-metadata=GKE_METADATA");
  return {words};
}

// What comes before the node pools.
std::vector<GcloudCommand> preparations(const NodePool& pool, const PoolOptions& options) {
  std::vector<GcloudCommand> commands;
  if (options.before > 0) return commands;
  if (options.dranet) commands = networks();
  if (options.dynamic_slicing) commands.push_back(slice_controller());
  if (needs_policy(pool, options)) commands.push_back(workload_policy(pool, options));
  return commands;
}

// The number is a shell's variable in a loop.
GcloudCommand numbered_pool(const NodePool& pool, const PoolOptions& options,
                            const std::string& number) {
  return node_pool(pool, options, base_name(pool, options) + '-' + number);
}

std::string loop_body(const GcloudCommand& command) {
  std::string text = "  " + command.text();
  for (std::size_t at = text.find('\n'); at != std::string::npos; at = text.find('\n', at + 1))
    text.insert(at + 1, 2, ' ');
  return text;
}

std::string loop(const NodePool& pool, const PoolOptions& options) {
  return fmt::format("for i in $(seq {} {}); do\n{}\ndone\n", options.before,
                     options.before + pool_count(pool, options) - 1,
                     loop_body(numbered_pool(pool, options, "$i")));
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

std::string pool_name(const NodePool& pool, const PoolOptions& options) {
  return options.name.empty() ? base_name(pool, options) : options.name;
}

std::vector<GcloudCommand> gcloud_commands(const NodePool& pool, const PoolOptions& options) {
  auto commands = preparations(pool, options);
  const std::uint32_t pools = pool_count(pool, options);
  if (pools == 1 && options.before == 0) {
    commands.push_back(node_pool(pool, options, pool_name(pool, options)));
    return commands;
  }
  for (std::uint32_t i = 0; i < pools; ++i)
    commands.push_back(numbered_pool(pool, options, std::to_string(options.before + i)));
  return commands;
}

std::string gcloud_script(const NodePool& pool, const PoolOptions& options) {
  const bool folded = pool_count(pool, options) > most_written_out;
  std::string text;
  for (const auto& command : folded ? preparations(pool, options) : gcloud_commands(pool, options))
    text += command.text() + '\n';
  return folded ? text + loop(pool, options) : text;
}

}  // namespace tpuwh::server::catalog
