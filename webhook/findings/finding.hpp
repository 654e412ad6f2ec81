// What can be wrong with a Pod or with an object that makes Pods. Each kind has an id that a user
// can look up (docs/messages.md, `kubectl tpu findings`), and a level that says what follows of it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

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
  // of placement
  exclusive_topology_invalid,
  selector_contradicts_leader,
  scheduling_group,
  pool_shared,
  count_
};
inline constexpr std::size_t finding_count = static_cast<std::size_t>(Finding::count_);

// What follows of a finding.
enum class Level : std::uint8_t {
  off,   // nothing is said
  warn,  // the object is allowed, and whoever made it reads a sentence
  deny,  // the object is refused
};

// What an operator says of each, where it differs from its default.
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
