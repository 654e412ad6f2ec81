#include "kubectl/inspect/slices/driven_nodes.hpp"

#include "base/counted.hpp"
#include "base/names.hpp"
#include "server/text/json_text.hpp"
#include "topology/dims.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string>

namespace tpuwh::server::slices {

namespace {

constexpr auto driver = "tpu.google.com";

// A name without a domain is the driver's.
const Json& attribute(const Json& device, const std::string& name) {
  const Json& basic = text::member(device, "basic");  // of v1beta1
  const Json& attributes = text::member(basic.is_object() ? basic : device, "attributes");
  const Json& own = text::member(attributes, name);
  return own.is_object() ? own : text::member(attributes, driver + ("/" + name));
}

std::uint32_t chips_of(const Json& device) {
  const Json& chips = text::member(attribute(device, "chipCount"), "int");
  if (!chips.is_number_unsigned()) return 0;
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(
      chips.get<std::uint64_t>(), std::numeric_limits<std::uint32_t>::max()));
}

}  // namespace

void add_driven_node(const Json& slice, Cluster& cluster) {
  const Json& spec = text::member(slice, "spec");
  const std::string node = text::text_member(spec, "nodeName");
  const Json& devices = text::member(spec, "devices");
  if (text::text_member(spec, "driver") != driver || node.empty()) return;
  if (!devices.is_array() || devices.empty()) return;
  const Json& first = devices.front();  // all say the same of their node
  cluster.driven[node] = {.topology = text::text_member(attribute(first, "topology"), "string"),
                          .chips = chips_of(first)};
}

Taken taken_for(const DrivenNode* node, std::string_view topology, bool multi_host) {
  const auto wanted = topology::Dims::parse(topology);
  if (node == nullptr || node->chips == 0 || !wanted) return Taken::not_known;
  const auto found = topology::Dims::parse(node->topology);
  if (!found) return Taken::not_known;
  if (multi_host && found->chips() == node->chips) return Taken::alone;
  return *found == *wanted ? Taken::same : Taken::other;
}

std::string described(std::string_view name, const DrivenNode& node) {
  return fmt::format("the driver of claims takes node {} for {} of {}", name,
                     base::counted(node.chips, "chip"), base::printable(node.topology));
}

const DrivenNode* find_driven(const DrivenNodes& nodes, std::string_view name) {
  const auto found = nodes.find(name);
  return found == nodes.end() ? nullptr : &found->second;
}

}  // namespace tpuwh::server::slices
