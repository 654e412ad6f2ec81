#include "kubectl/predict/outlook/made_pool.hpp"

#include "kubectl/objects/keys.hpp"
#include "kubectl/predict/outlook/capacity.hpp"
#include "kubectl/predict/outlook/words.hpp"
#include "topology/catalog.hpp"
#include "webhook/pools/fit.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <vector>

namespace tpuwh::server::outlook {

namespace {

namespace key = webhook::read::key;

// Nodes of a pool with GKE's metadata server (docs/facts.md#metadata-server).
constexpr std::string_view metadata_server = "iam.gke.io/gke-metadata-server-enabled";

// GKE and Kubernetes write these.
bool is_platforms(std::string_view label) {
  const std::string_view domain = label.substr(0, std::min(label.find('/'), label.size()));
  if (domain == label) return false;
  return std::ranges::any_of(
      std::initializer_list<std::string_view>{"kubernetes.io", "k8s.io", "google.com", "gke.io"},
      [&](std::string_view own) {
        return domain == own ||
               (domain.ends_with(own) && domain[domain.size() - own.size() - 1] == '.');
      });
}

bool is_sound(std::string_view label, std::string_view value) {
  return base::is_qualified_name(label) && (value.empty() || base::is_label_value(value));
}

// The command has variables for these.
bool is_chosen_by_hand(std::string_view label) {
  return label == objects::key::zone || label == objects::key::region ||
         label == "failure-domain.beta.kubernetes.io/zone" ||
         label == "failure-domain.beta.kubernetes.io/region";
}

// By which the machines of a shape differ; GKE writes them, and nobody else.
constexpr std::array<std::string_view, 4> of_machine{
    key::accelerator_count, "node.kubernetes.io/instance-type", "beta.kubernetes.io/instance-type",
    "cloud.google.com/machine-family"};

// "the Pods select L=8, and nodes of tpu-v5-lite-podslice with topology 16x16 have 4"; "" where a
// machine of the shape has it: 2x4 of v6e is two nodes of 4 chips or one of 8.
std::string no_machine_has(const topology::layout::NodePool& pool, std::string_view label,
                           std::string_view value) {
  const topology::Generation* generation = topology::find_generation(pool.slice.accelerator);
  if (value.empty() || generation == nullptr) return {};
  std::vector<std::string> others;
  for (const topology::layout::NodePool& each :
       topology::layout::node_pools(*generation, pool.slice.dims)) {
    const auto node = made_node(each, {});
    const auto own = node.labels.find(label);
    if (!own || *own == value) return {};
    if (std::ranges::find(others, *own) == others.end()) others.emplace_back(*own);
  }
  if (others.empty()) return {};
  return fmt::format("the Pods select {}={}, and nodes of {} with topology {} have {}",
                     plain(label), plain(value), pool.slice.accelerator, pool.slice.dims.text(),
                     fmt::join(others, " or "));
}

// "" where the label is the node's, or can be given to it.
std::string take_label(std::string_view label, std::string_view value, webhook::pools::Node& node,
                       MadePool& made) {
  if (!is_sound(label, value)) return fmt::format("{} is not a node label", plain(label));
  if (label == key::compute_class)
    return fmt::format("nodes of ComputeClass {} are made by GKE as the class says", plain(value));
  if (label == key::node_pool) {
    if (catalog::pool_count(*made.pool, made.options) != 1)
      return fmt::format(
          "the Pods select node pool {}, which {}", plain(value),
          made.pool->slice.multi_host() ? "is one slice" : "JobSet gives to one Job only");
    made.options.name = value;
    node.labels.add(label, value);
    return {};
  }
  if (is_chosen_by_hand(label)) {
    node.labels.add(label, value);
    return {};
  }
  const auto own = node.labels.find(label);
  if (own && *own == value) return {};
  if (own)
    return fmt::format("its nodes would have {}={}, and the Pods select {}", plain(label),
                       plain(*own), plain(value));
  if (is_platforms(label))
    return fmt::format(
        "whether a node of such a pool has {}={}, which the Pods select, is not known",
        plain(label), plain(value));
  made.options.node_labels.emplace_back(label, value);
  node.labels.add(label, value);
  return {};
}

void add(webhook::pools::Labels& labels, std::string_view label, std::string_view value) {
  if (!value.empty()) labels.add(label, value);
}

}  // namespace

webhook::pools::Node made_node(const topology::layout::NodePool& pool,
                               const catalog::PoolOptions& options) {
  webhook::pools::Node node;
  webhook::pools::Labels& labels = node.labels;
  add(labels, key::accelerator, pool.slice.accelerator);
  add(labels, key::topology, pool.slice.dims.text());
  add(labels, key::accelerator_count, std::to_string(pool.slice.chips_per_host));
  add(labels, "node.kubernetes.io/instance-type", pool.machine->name);
  add(labels, "beta.kubernetes.io/instance-type", pool.machine->name);
  add(labels, "kubernetes.io/os", "linux");
  add(labels, "kubernetes.io/arch", "amd64");
  add(labels, "cloud.google.com/gke-os-distribution", "cos");
  const std::string_view machine = pool.machine->name;
  add(labels, "cloud.google.com/machine-family", machine.substr(0, machine.find('-')));
  add(labels, key::node_pool, options.name);
  if (options.spot) add(labels, key::spot, "true");
  if (options.spot) add(labels, key::provisioning, "spot");
  if (options.flex_start) add(labels, key::flex_start, "true");
  if (options.flex_start) add(labels, key::provisioning, "flex-start");
  add(labels, key::reservation, catalog::reservation_name(options.reservation));
  if (options.dranet) add(labels, "cloud.google.com/gke-networking-dra-driver", "true");
  if (options.metadata_server) add(labels, metadata_server, "true");
  for (const auto& [label, value] : options.node_labels) add(labels, label, value);
  node.chips = pool.slice.chips_per_host;
  node.taints.push_back({std::string(key::tpu), "present", false});
  return node;
}

MadePool made_pool(const Member& member, const Wanted& wanted) {
  MadePool made;
  made.pool = topology::layout::find_node_pool(member.accelerator(), member.topology(),
                                               member.slice().chips_per_host);
  made.options = capacity_of([&](std::string_view label) { return member.selected(label); });
  made.options.slices = wanted.slices;
  made.options.slices_each = wanted.each_pool;
  made.options.dynamic_slicing = wanted.of_blocks;
  made.options.dranet =
      wanted.networks || member.selected("cloud.google.com/gke-networking-dra-driver") == "true";
  made.options.metadata_server = member.selected(metadata_server) == "true";
  // Without it the device plugin has the chips (docs/facts.md#dra).
  if (member.slice().by_claim)
    made.options.node_labels.emplace_back("cloud.google.com/gke-tpu-dra-driver", "true");
  if (!made.pool) return made;
  if (const auto wrong = catalog::complaint(*made.pool, made.options)) {
    made.why_not = wrong->text();
    return made;
  }
  if (wanted.of_blocks) return made;  // whoever makes the slice labels its nodes
  for (const std::string_view label : of_machine)
    if (made.no_machine.empty())
      made.no_machine = no_machine_has(*made.pool, label, member.selected(label));
  webhook::pools::Node node = made_node(*made.pool, made.options);
  // By its name a pool is also chosen by required node affinity.
  if (const std::string_view name = member.selected(key::node_pool);
      !name.empty() && member.pod().selector(key::node_pool).empty())
    made.why_not = take_label(key::node_pool, name, node, made);
  for (const auto& selector : member.pod().node_selector)
    if (made.why_not.empty()) made.why_not = take_label(selector.key, selector.value, node, made);
  if (made.why_not.empty() && !webhook::pools::selects(member.pod(), node.labels))
    made.why_not = "its nodes would match no term of the Pods' required node affinity";
  return made;
}

}  // namespace tpuwh::server::outlook
