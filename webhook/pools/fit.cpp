#include "webhook/pools/fit.hpp"

#include "base/names.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

namespace tpuwh::webhook::pools {

namespace {

// The scheduler's filter NodeUnschedulable takes spec.unschedulable for this taint.
const Taint cordon{"node.kubernetes.io/unschedulable", "", false};

// Toleration.ToleratesTaint of k8s.io/api core/v1.
bool tolerates(const read::Toleration& toleration, const Taint& taint) {
  if (!toleration.key.empty() && toleration.key != taint.key) return false;
  constexpr std::string_view no_execute = "NoExecute", no_schedule = "NoSchedule";
  if (!toleration.effect.empty() &&
      toleration.effect != (taint.no_execute ? no_execute : no_schedule))
    return false;
  if (toleration.op == "Exists") return true;
  return (toleration.op.empty() || toleration.op == "Equal") && toleration.value == taint.value;
}

std::optional<std::int64_t> whole_number(std::string_view text) {
  // Leading zeros are allowed. A million of them would be read for each node.
  if (text.size() > base::max_host_name_length) return std::nullopt;
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

bool is_beyond(std::string_view op, std::string_view label, std::string_view bound) {
  const auto left = whole_number(label), right = whole_number(bound);
  return left && right && (op == "Gt" ? *left > *right : *left < *right);
}

// labels.Requirement.Matches of k8s.io/apimachinery.
bool matches(const read::Pod& pod, const read::Requirement& requirement, const Labels& labels) {
  const auto label = labels.find(requirement.key);
  const std::span values(pod.values.begin() + requirement.values_begin,
                         pod.values.begin() + requirement.values_end);
  const auto among = [&] { return label && std::ranges::find(values, *label) != values.end(); };
  if (requirement.op == "In") return among();
  if (requirement.op == "NotIn") return !among();
  if (requirement.op == "Exists") return label.has_value();
  if (requirement.op == "DoesNotExist") return !label.has_value();
  return label && values.size() == 1 && is_beyond(requirement.op, *label, values.front());
}

bool matches(const read::Pod& pod, const read::NodeTerm& term, const Labels& labels) {
  if (term.empty) return false;
  for (std::uint32_t r = term.begin; r < term.end; ++r)
    if (!matches(pod, pod.requirements[r], labels)) return false;
  return true;
}

}  // namespace

// What Kubernetes adds for google.com/tpu it may add after us (docs/facts.md#tpu-node-taint).
bool tolerates(std::span<const read::Toleration> tolerations, const Taint& taint) {
  return taint.key == read::key::tpu ||
         std::ranges::any_of(tolerations, [&](const auto& each) { return tolerates(each, taint); });
}

bool selects(const read::Pod& pod, const Labels& labels) {
  const bool selected = std::ranges::all_of(pod.node_selector, [&](const auto& selector) {
    return labels.find(selector.key) == selector.value;
  });
  if (!selected || pod.node_affinity.terms == read::Presence::absent) return selected;
  for (std::uint32_t i = pod.node_affinity.begin; i < pod.node_affinity.end; ++i)
    if (matches(pod, pod.node_terms[i], labels)) return true;
  return false;
}

bool selects_by_shape(const read::Pod& pod) {
  return pod.node_affinity.terms == read::Presence::absent &&
         std::ranges::all_of(pod.node_selector, [](const read::Selector& selector) {
           return selector.key == read::key::accelerator || selector.key == read::key::topology;
         });
}

std::size_t criteria_of(const read::Pod& pod) {
  std::size_t all = pod.tolerations.size() + pod.node_selector.size();
  for (std::uint32_t i = pod.node_affinity.begin; i < pod.node_affinity.end; ++i) {
    const read::NodeTerm& term = pod.node_terms[i];
    all += 1 + (term.end - term.begin);
    for (std::uint32_t r = term.begin; r < term.end; ++r)
      all += pod.requirements[r].values_end - pod.requirements[r].values_begin;
  }
  return all;
}

Unusable keeps_away(const Node& node, std::span<const read::Toleration> tolerations) {
  if (!node.ready) return Unusable::not_ready;
  if (node.unschedulable && !tolerates(tolerations, cordon)) return Unusable::cordoned;
  for (const Taint& taint : node.taints) {
    if (taint.key == deletion_taint) return Unusable::to_be_deleted;
    if (!tolerates(tolerations, taint))
      return taint.key == cordon.key ? Unusable::cordoned : Unusable::tainted;
  }
  return Unusable::no;
}

}  // namespace tpuwh::webhook::pools
