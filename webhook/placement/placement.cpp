#include "webhook/placement/placement.hpp"

#include "base/names.hpp"
#include "webhook/findings/finding.hpp"
#include "webhook/read/affinity.hpp"

#include <algorithm>
#include <charconv>
#include <functional>
#include <optional>

namespace tpuwh::webhook::placement {

namespace {

// Kueue's Pod, LeaderWorkerSet and StatefulSet integrations compare the affinity of the Pods of a
// role and keep gated Pods as they are (docs/facts.md#kueue-hides-the-node).
bool compared_by_kueue(const read::Pod& pod) {
  return pod.kueue_gate || !pod.label(read::Label::kueue_queue_name).empty() ||
         pod.has(read::Annotation::kueue_suspending_parent);
}

// The scheduler knows node pools, and nothing of the blocks within one.
void note_unplaced(const facts::Facts& facts, outcome::Notes& notes) {
  const facts::Shape& shape = *facts.shape;
  const read::Pod& pod = *facts.pod;
  if (shape.source != facts::TopologySource::sub_slice_annotation || shape.block_selected ||
      shape.selector_topology.empty() || shape.selector_topology == shape.topology)
    return;
  if (pod.scheduling_group || facts::placed_by_kueue(pod) || compared_by_kueue(pod)) return;
  notes.warn(findings::Finding::sub_slice_unplaced,
             "nothing places the " + std::to_string(facts.slice.hosts) + " Pods of sub-slice " +
                 std::string(shape.topology) + " on neighbouring hosts of " +
                 base::printable(shape.selector_topology) +
                 "; use topology-aware scheduling of Kueue, or the slice never forms");
}

// On nodes without the label of the domain required affinity never matches: a Pod that does not go
// to TPU nodes of GKE gets no terms (docs/decisions/0017).
bool selects_tpu_nodes(const read::Pod& pod) {
  return std::ranges::any_of(pod.node_selector,
                             [](const read::Selector& selector) {
                               return selector.key.starts_with(read::key::tpu_prefix);
                             }) ||
         read::node_affinity_mentions(pod, read::key::tpu_prefix);
}

// The annotation of ours, else the owner's, else the node pool. None for no terms:
// on nodes without the key a required term would never match.
void find_topology_key(const read::Pod& pod, const workloads::Member& member, Placement& placement,
                       outcome::Notes& notes) {
  if (const auto own = pod.annotation(read::Annotation::exclusive_topology); !own.empty()) {
    if (base::is_qualified_name(own)) {
      placement.topology_key = own;
      return;
    }
    placement.why = Terms::invalid_key;
    notes.warn(findings::Finding::exclusive_topology_invalid,
               "annotation exclusive-topology is " + base::printable(own) +
                   ", which is not a label key; no placement terms were added");
  } else if (member.owner_keeps_group) {
    placement.why = Terms::owner_keeps;                            // docs/decisions/0005
  } else if (member.exclusive_topology == read::key::node_pool) {  // mostly
    placement.topology_key = read::key::node_pool;
  } else if (base::is_qualified_name(member.exclusive_topology)) {
    placement.topology_key = member.exclusive_topology;
  } else if (selects_tpu_nodes(pod)) {
    placement.topology_key = read::key::node_pool;
  } else {
    placement.why = Terms::no_domain;
  }
}

// To a domain of this key, or to the nodes that JobSet's other strategy labelled.
bool is_pinned(const read::Pod& pod, std::string_view key, Placement& placement) {
  const auto pin = [&](std::string_view by, std::string_view domain) {
    if (domain.empty()) return false;
    placement.why = Terms::pinned;
    placement.topology_key = by;
    placement.domain = domain;
    return true;
  };
  return pin(key, pod.selector(key)) || pin(key, read::pinned_value(pod, key)) ||
         pin(read::key::jobset_namespaced_job, pod.selector(read::key::jobset_namespaced_job));
}

// JobSet's leader/follower (docs/facts.md#jobset-exclusive-placement): a follower selects the
// domain of its leader. JobSet deletes and recreates those that do not.
bool follows_leader(const facts::Facts& facts, Placement& placement, outcome::Notes& notes) {
  const auto& domain = facts.member->leader_domain;
  if (!domain || placement.topology_key.empty() ||
      placement.topology_key != facts.member->exclusive_topology)
    return false;
  placement.why = Terms::follows;
  placement.domain = *domain;
  const std::string_view own = facts.pod->selector(placement.topology_key);
  if (own.empty()) placement.follow = *domain;
  if (!own.empty() && own != *domain)
    notes.warn(findings::Finding::selector_contradicts_leader,
               "node selector " + base::printable(placement.topology_key) + " is " +
                   base::printable(own) + " and was kept, but the leader of this Job runs on " +
                   base::printable(*domain) + ": JobSet deletes this Pod");
  return true;
}

// Somebody else decides about the domain: terms of ours could make what they admitted
// unschedulable. Nothing where nobody does.
std::optional<Terms> placed_by_others(const facts::Facts& facts) {
  if (facts.shape->dynamic) return Terms::part_of_slice;
  if (facts::placed_by_kueue(*facts.pod)) return Terms::kueue_topology;
  if (compared_by_kueue(*facts.pod)) return Terms::kueue_compares;
  return std::nullopt;
}

// The scheduler's groups wait for all their members; of node pools they know nothing unless a group
// says so, which is not on the Pod (docs/facts.md#pod-groups).
void note_group(const read::Pod& pod, outcome::Notes& notes) {
  if (!pod.scheduling_group) return;
  notes.warn(findings::Finding::scheduling_group,
             "spec.schedulingGroup: a group without a topology constraint keeps no slice on one "
             "node pool, so the placement terms were added; if its group has one, annotation "
             "exclusive-topology: none leaves them out");
}

}  // namespace

PriorityText::PriorityText(std::int32_t priority) {
  constexpr std::string_view minus = "minus-";
  char* begin = text_.data();
  std::int64_t size = priority;
  if (priority < 0) {
    begin = std::ranges::copy(minus, begin).out;
    size = -size;
  }
  size_ = std::to_chars(begin, text_.data() + text_.size(), size).ptr - text_.data();
}

base::Hash SliceKeys::of(const std::array<std::string_view, 4>& parts) {
  std::size_t bytes = 0;
  for (const std::string_view part : parts) bytes += part.size();
  if (bytes > longest) return base::hash(parts);
  parts_.clear();
  for (const std::string_view part : parts) parts_.add(part, '\0');  // as the key has them
  const std::string_view all = parts_.view();
  if (slots_[last_].parts == all) return slots_[last_].key;  // mostly: members come together
  last_ = std::hash<std::string_view>()(all) % slots_.size();
  Slot& slot = slots_[last_];
  if (slot.parts != all) {
    slot.parts.clear();  // so that no key is another's where there is no memory
    slot.key = base::hash(parts);
    slot.parts = all;
  }
  return slot.key;
}

Placement plan_placement(const facts::Facts& facts, const config::Config& config, SliceKeys& keys,
                         outcome::Notes& notes) {
  const read::Pod& pod = *facts.pod;
  Placement placement;
  placement.why = Terms::single_host;
  if (!facts.slice.multi_host()) return placement;
  placement.why = Terms::switched_off;
  if (!config.placement_for(facts.member->workload, facts.ns)) return placement;
  placement.key = keys.of(facts.member->key_parts);
  placement.priority = PriorityText(pod.priority);
  note_unplaced(facts, notes);
  if (const auto others = placed_by_others(facts)) {
    placement.why = *others;
    return placement;
  }
  placement.why = Terms::not_wanted;
  if (pod.annotation(read::Annotation::exclusive_topology) == "none") return placement;
  placement.why = Terms::added;
  find_topology_key(pod, *facts.member, placement, notes);
  if (pod.selector(read::key::jobset_namespaced_job).empty() &&
      follows_leader(facts, placement, notes))
    return placement;
  const bool whole_pool = placement.topology_key == read::key::node_pool;
  if (is_pinned(pod, placement.topology_key.empty() ? read::key::node_pool : placement.topology_key,
                placement)) {
    // Where the owner places, a first member has terms, and the others select its domain.
    placement.apart = whole_pool && placement.topology_key == read::key::node_pool &&
                      facts.member->exclusive_topology.empty();
    return placement;
  }
  if (placement.terms()) note_group(pod, notes);
  // With chips that no VM of the generation has, nothing is known to be excluded.
  if (pod.selector(read::key::accelerator_count).empty())
    placement.not_on = facts.slice.other_chips;
  return placement;
}

}  // namespace tpuwh::webhook::placement
