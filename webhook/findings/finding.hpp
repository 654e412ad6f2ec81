// Findings: the faults of a Pod or of an object that makes Pods. Each kind of finding has an id
// that a user can look up (docs/messages.md, `kubectl tpu findings`), and a level that determines
// the answer to a review.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace tpuwh::webhook::findings {

enum class Finding : std::uint8_t {
  // of a topology and its chips
  placeholder_left,
  topology_malformed,
  topology_not_divisible,
  chips_invalid,
  topology_missing,
  topology_unlisted,
  accelerator_unknown,
  node_shared,
  containers_differ,
  sub_slice_misfit,
  sub_slice_unplaced,
  no_such_node,
  claims_unknown,
  chips_missing,
  claim_named,
  // of who a Pod is
  index_out_of_range,
  identity_missing,
  size_contradicts,
  name_contradicts,
  coordinator_invalid,
  coordinator_missing,
  // of names
  name_invalid,
  subdomain_missing,
  names_do_not_resolve,
  // of the number of Pods
  ray_hosts,
  ray_groups_alike,
  ray_replicas_refused,
  jobset_too_few,
  job_too_few,
  completions_too_many,
  lws_size,
  lws_templates_differ,
  statefulset_size,
  deployment_of_hosts,
  templates_unchecked,
  controller_refuses,
  made_when_ready,
  lws_subgroups_of_one,
  // of variables
  too_long,
  value_kept,
  port_invalid,
  port_twice,
  torch_misfit,
  addresses_in_file,
  driver_decides,
  // of placement
  exclusive_topology_invalid,
  selector_contradicts_leader,
  scheduling_group,
  pool_shared,
  count_
};
inline constexpr std::size_t finding_count = static_cast<std::size_t>(Finding::count_);

// The effect of a finding on the answer to a review.
enum class Level : std::uint8_t {
  off,   // nothing is said
  warn,  // the object is allowed, and whoever made it reads a sentence
  deny,  // the object is refused
};

// The id and the default level of a finding. The description of the finding is in
// kubectl/reference/ids/webhook_rows.hpp.
struct Row {
  Finding finding;
  std::string_view id;  // "TPU-102": for good, never given to another
  Level level;          // the default level, which a setting can change
};

namespace rows {

using enum Finding;
using enum Level;

// In the order of Finding, which is that of the ids.
inline constexpr Row all[] = {
    // ---- a topology and its chips
    {placeholder_left, "TPU-101", deny},
    {topology_malformed, "TPU-102", deny},
    {topology_not_divisible, "TPU-103", deny},
    {chips_invalid, "TPU-104", deny},
    {topology_missing, "TPU-105", warn},
    {topology_unlisted, "TPU-106", warn},
    {accelerator_unknown, "TPU-107", warn},
    {node_shared, "TPU-108", warn},
    {containers_differ, "TPU-109", warn},
    {sub_slice_misfit, "TPU-110", warn},
    {sub_slice_unplaced, "TPU-111", warn},
    {no_such_node, "TPU-112", warn},
    {claims_unknown, "TPU-113", warn},
    {chips_missing, "TPU-114", warn},
    {claim_named, "TPU-115", warn},
    // ---- who a Pod is
    {index_out_of_range, "TPU-201", deny},
    {identity_missing, "TPU-202", warn},
    {size_contradicts, "TPU-203", warn},
    {name_contradicts, "TPU-204", warn},
    {coordinator_invalid, "TPU-205", warn},
    {coordinator_missing, "TPU-206", warn},
    // ---- names
    {name_invalid, "TPU-301", deny},
    {subdomain_missing, "TPU-302", warn},
    {names_do_not_resolve, "TPU-303", warn},
    // ---- the number of Pods
    {ray_hosts, "TPU-401", deny},
    {ray_groups_alike, "TPU-402", deny},
    {ray_replicas_refused, "TPU-403", warn},
    {jobset_too_few, "TPU-404", deny},
    {job_too_few, "TPU-405", warn},
    {completions_too_many, "TPU-406", warn},
    {lws_size, "TPU-407", deny},
    {lws_templates_differ, "TPU-408", warn},
    {statefulset_size, "TPU-409", warn},
    {deployment_of_hosts, "TPU-410", warn},
    {templates_unchecked, "TPU-411", warn},
    {controller_refuses, "TPU-412", deny},
    {made_when_ready, "TPU-413", warn},
    {lws_subgroups_of_one, "TPU-414", warn},
    // ---- variables
    {too_long, "TPU-501", deny},
    {value_kept, "TPU-502", warn},
    {port_invalid, "TPU-503", warn},
    {port_twice, "TPU-504", warn},
    {torch_misfit, "TPU-505", warn},
    {addresses_in_file, "TPU-506", warn},
    {driver_decides, "TPU-507", warn},
    // ---- placement
    {exclusive_topology_invalid, "TPU-601", warn},
    {selector_contradicts_leader, "TPU-602", warn},
    {scheduling_group, "TPU-603", warn},
    {pool_shared, "TPU-604", warn},
};

static_assert(std::size(all) == finding_count);
static_assert([] {
  for (std::size_t i = 0; i < finding_count; ++i)
    if (static_cast<std::size_t>(all[i].finding) != i) return false;
  return true;
}());

}  // namespace rows

inline std::span<const Row> table() {
  return rows::all;
}
inline const Row& row(Finding finding) {
  return rows::all[static_cast<std::size_t>(finding)];
}
// Null for what is no id.
inline const Row* find(std::string_view id) {
  const auto* found = std::ranges::find(rows::all, id, &Row::id);
  return found == std::end(rows::all) ? nullptr : found;
}

// The levels that the configuration sets. find() returns nullopt for a finding that keeps its
// default level.
class Levels {
 public:
  std::optional<Level> find(Finding finding) const { return levels_[index(finding)]; }
  void set(Finding finding, Level level) { levels_[index(finding)] = level; }
  bool operator==(const Levels&) const = default;

 private:
  static constexpr std::size_t index(Finding finding) { return static_cast<std::size_t>(finding); }
  std::array<std::optional<Level>, finding_count> levels_{};
};

}  // namespace tpuwh::webhook::findings
