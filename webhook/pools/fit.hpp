// Whether one node can hold one host of a slice, as the scheduler's filters see it.
#pragma once

#include "webhook/pools/node.hpp"
#include "webhook/read/cluster.hpp"
#include "webhook/read/pod.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace tpuwh::webhook::pools {

// The taint that Cluster Autoscaler puts on a node which it is about to delete
// (docs/facts.md#cluster-autoscaler).
inline constexpr std::string_view deletion_taint = "ToBeDeletedByClusterAutoscaler";

// The taints of a node that is not ready; NoExecute, they evict who does not tolerate them
// (docs/facts.md#node-repair).
inline constexpr std::array<std::string_view, 2> unready_taints = {
    "node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"};

bool tolerates(std::span<const read::Toleration> tolerations, const Taint& taint);

// Whether the Pod's node selector and required node affinity match these labels. Fields of a
// term (matchFields) are taken to match.
bool selects(const read::Pod& pod, const Labels& labels);

// Whether the Pod selects by accelerator and topology alone, as most do: then every node of the
// shape matches.
bool selects_by_shape(const read::Pod& pod);

// How much of the Pod is held against a node, in comparisons of labels and taints: tolerations,
// entries of the node selector, terms of the required node affinity, their requirements and the
// values of these.
std::size_t criteria_of(const read::Pod& pod);

// Why no host of the slice can stand on a node that the Pod selects, whoever holds it.
enum class Unusable {
  no,
  not_ready,
  cordoned,
  to_be_deleted,
  tainted,    // with a taint that the Pod does not tolerate
  few_chips,  // fewer chips than the Pod asks for
};
// Of these, what does not depend on its chips.
Unusable keeps_away(const Node& node, std::span<const read::Toleration> tolerations);

inline Unusable unusable(const Node& node, const read::PoolQuestion& question) {
  const bool open = node.ready && !node.unschedulable && node.taints.empty();
  const Unusable why = open ? Unusable::no : keeps_away(node, question.pod.tolerations);
  if (why != Unusable::no) return why;
  return node.chips < question.chips_per_host ? Unusable::few_chips : Unusable::no;
}

// What a node is to a host of a slice: of what is against it, the first.
enum class Stand {
  usable,
  not_selected,  // the Pod's node selector or required node affinity does not match
  unusable,      // unusable() says why, reasons::trouble_of() in words
  held,          // others have chips that it needs
};

// What a node is to a host of the question's slice; which holders count is `counts` to say.
template <class Holders, class Counts>
Stand stand_of(const Node& node, const Holders& holders, const read::PoolQuestion& question,
               bool all_selected, Counts counts) {
  if (unusable(node, question) != Unusable::no) return Stand::unusable;
  std::uint64_t taken = 0;
  for (const auto& holder : holders)
    if (counts(holder)) taken += holder.chips;
  if (taken + question.chips_per_host > node.chips) return Stand::held;
  return all_selected || selects(question.pod, node.labels) ? Stand::usable : Stand::not_selected;
}

}  // namespace tpuwh::webhook::pools
