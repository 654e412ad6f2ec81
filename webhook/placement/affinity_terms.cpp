#include "webhook/placement/affinity_terms.hpp"

#include <string_view>

namespace tpuwh::webhook::placement {

namespace {

bool is_our_key(std::string_view key, const config::Config& config, std::string_view name) {
  return key.size() == config.prefix.size() + name.size() && key.starts_with(config.prefix) &&
         key.ends_with(name);
}

// A requirement on one of our labels; without a value where it takes none.
struct Said {
  std::string_view label, op, value;
};

bool expression_says(const read::Pod& pod, const read::Requirement& requirement,
                     const config::Config& config, const Said& said) {
  const std::uint32_t values = requirement.values_end - requirement.values_begin;
  return is_our_key(requirement.key, config, said.label) && requirement.op == said.op &&
         (said.value.empty() ? values == 0
                             : values == 1 && pod.values[requirement.values_begin] == said.value);
}

std::string_view priority_operator(Rule rule) {
  return rule == Rule::others_of_priority ? "In" : "NotIn";
}

}  // namespace

// Exists before NotIn, which is also true of a Pod without the label: alone it would keep the slice
// away from every Pod of the cluster. No Pod is matched by both rules of other slices
// (docs/decisions/0027). Those look at all namespaces, since a node pool is in none; the own one
// looks at the Pod's, where all members are: else a label on any Pod of the cluster would hold the
// slice (docs/decisions/0029).
void append_term(write::Json& out, const TermParts& parts, Rule rule) {
  const auto& [config, placement] = parts;
  const auto own_label = [&](write::JsonLiteral name_and_op) {
    out << "{\"key\":\"" << write::in_string(config.prefix) << name_and_op;
  };
  const write::AsString key = write::as_string(base::view(placement.key));
  out << "{\"labelSelector\":{\"matchExpressions\":[";
  if (rule == Rule::own) {
    own_label("slice-key\",\"operator\":\"In\",\"values\":[");
    out << key << "]}";
  } else {
    own_label("slice-key\",\"operator\":\"Exists\"},");
    own_label("slice-key\",\"operator\":\"NotIn\",\"values\":[");
    out << key << "]},";
    own_label("priority\",\"operator\":");
    out << write::as_string(priority_operator(rule)) << ",\"values\":["
        << write::as_string(placement.priority.view()) << "]}";
  }
  out << "]},\"topologyKey\":" << write::as_string(placement.topology_key);
  if (rule != Rule::own) out << ",\"namespaceSelector\":{}";
  out << "}";
}

// What an earlier release wrote, with all namespaces, stays: a second application of another
// version changes nothing.
bool is_term(const read::Pod& pod, const read::PodTerm& term, const TermParts& parts, Rule rule) {
  using read::TermReach;
  const Placement& placement = parts.placement;
  const std::string_view key = base::view(placement.key);
  const bool reaches = term.reach == TermReach::every_namespace ||
                       (rule == Rule::own && term.reach == TermReach::own_namespace);
  if (term.topology_key != placement.topology_key || !reaches) return false;
  const std::uint32_t count = term.end - term.begin;
  const auto says = [&](std::uint32_t i, const Said& what) {
    return expression_says(pod, pod.requirements[term.begin + i], parts.config, what);
  };
  if (rule == Rule::own) return count == 1 && says(0, {"slice-key", "In", key});
  return count == 3 && says(0, {"slice-key", "Exists", {}}) &&
         says(1, {"slice-key", "NotIn", key}) &&
         says(2, {"priority", priority_operator(rule), placement.priority.view()});
}

bool is_ours(const read::Pod& pod, const read::PodTerm& term, const config::Config& config) {
  for (std::uint32_t r = term.begin; r < term.end; ++r)
    if (is_our_key(pod.requirements[r].key, config, "slice-key")) return true;
  return false;
}

}  // namespace tpuwh::webhook::placement
