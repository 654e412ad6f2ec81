#include "kubectl/reference/catalog/pod.hpp"

#include "webhook/read/vocabulary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>

namespace tpuwh::server::catalog {

namespace read = webhook::read;

namespace {

// Named in the Pod and in the container: users forget one of the two.
constexpr auto claim_template = R"(apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata:
  name: all-netdev
spec:
  spec:
    devices:
      requests:
      - name: net
        exactly:
          deviceClassName: netdev.google.com
          allocationMode: All
---
)";

constexpr auto pod_claim = R"(  resourceClaims:
  - name: netdev
    resourceClaimTemplateName: all-netdev
)";

constexpr auto container_claim = R"(      claims:
      - name: netdev
)";

// YAML reads some words as no text.
std::string yaml_value(const std::string& value) {
  constexpr std::string_view words[] = {"true", "false", "null", "yes", "no",
                                        "on",   "off",   "y",    "n"};
  return std::ranges::find(words, value) != std::end(words) ? '"' + value + '"' : value;
}

std::string yaml_lines(const KeysAndValues& lines) {
  std::string yaml;
  for (const auto& [key, value] : lines)
    yaml += fmt::format("    {}: {}\n", key, yaml_value(value));
  return yaml;
}

}  // namespace

KeysAndValues pod_annotations(const topology::layout::NodePool& pool, const PoolOptions& options) {
  if (!options.dynamic_slicing) return {};
  return {
      {std::string(read::spelled(read::Annotation::sub_slice_topology)), pool.slice.dims.text()}};
}

KeysAndValues node_selector(const topology::layout::NodePool& pool, const PoolOptions& options) {
  KeysAndValues result;
  const auto add = [&](std::string_view key, std::string_view value) {
    result.emplace_back(key, value);
  };
  add(read::key::accelerator, pool.slice.accelerator);
  if (!options.dynamic_slicing) add(read::key::topology, pool.slice.dims.text());
  if (options.spot) add(read::key::spot, "true");
  if (options.flex_start) add(read::key::flex_start, "true");
  if (!options.reservation.empty())
    add(read::key::reservation, reservation_name(options.reservation));
  return result;
}

std::string pod_yaml(const topology::layout::NodePool& pool, const PoolOptions& options) {
  std::string yaml = options.dranet ? claim_template : "";
  const auto annotations = pod_annotations(pool, options);
  if (!annotations.empty()) yaml += "metadata:\n  annotations:\n" + yaml_lines(annotations);
  yaml += "spec:\n  nodeSelector:\n" + yaml_lines(node_selector(pool, options));
  if (options.dranet) yaml += pod_claim;
  yaml += fmt::format(
      "  containers:\n  - name: main\n    resources:\n      limits:\n        google.com/tpu: {}\n",
      pool.slice.chips_per_host);
  if (options.dranet) yaml += container_claim;
  return yaml;
}

}  // namespace tpuwh::server::catalog
