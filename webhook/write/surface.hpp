// The declared patch surface: every JSON path this program may ever write, with
// the operation, the condition and the reason (docs/decisions/0018). The patch builder
// refuses any other; docs/patch-surface.md is generated from this table.
//
// Never in it: image, command, args, ports, securityContext, volumes,
// serviceAccount, resources, tolerations; and of nodeSelector nothing but the key by which a
// JobSet asks for exclusive placement.
#pragma once

#include "base/buffer.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace tpuwh::webhook::write {

enum class PatchOp { add, replace, remove };
inline constexpr std::array patch_ops{PatchOp::add, PatchOp::replace, PatchOp::remove};
std::string_view name(PatchOp op);

// One row of the table each.
enum class Surface : std::size_t {
  labels,
  label_slice_key,
  label_priority,
  label_token,
  label_replica_index,
  annotations,
  annotation_injected,
  annotation_slice,
  hostname,
  subdomain,
  env,
  env_entry,
  env_value,
  env_gone,
  init_env,
  init_env_entry,
  init_env_value,
  init_env_gone,
  node_selector,
  affinity,
  node_affinity,
  node_affinity_required,
  node_selector_terms,
  match_expressions,
  match_expression,
  node_affinity_preferred,
  node_affinity_preferred_term,
  pod_affinity,
  pod_affinity_required,
  pod_affinity_term,
  pod_affinity_term_own,
  pod_anti_affinity,
  pod_anti_affinity_required,
  pod_anti_affinity_term,
  pod_anti_affinity_term_own,
  pod_anti_affinity_preferred,
  pod_anti_affinity_preferred_term,
  pod_anti_affinity_preferred_own,
  count_
};

inline constexpr std::string_view prefix_mark = "<prefix>";
inline constexpr std::string_view key_mark = "<key>";

// path  JSON pointer; '*' stands for an index in a list, prefix_mark for the
//       configured prefix, whose '/' is written "~1", key_mark for one key of a map
struct SurfaceRow {
  PatchOp op;
  bool also_replace;  // an add that may be a replace of our own value
  std::string_view path;
  std::string_view when;
  std::string_view why;

  constexpr bool allows(PatchOp done) const {
    return done == op || (done == PatchOp::replace && also_replace);
  }
};

std::span<const SurfaceRow> surface();

// What is filled into the path of a row.
enum class Marks { none, prefix, key, index, two_indices };

// How the operations of a row are written, up to the value: {"op":"add","path":"/spec/…","value":
struct Spelling {
  Marks marks = Marks::none;
  // For each operation: all up to the first mark, or to the value where there is none; "" where
  // the row does not allow it.
  std::array<base::PaddedText, 3> heads;
  std::array<base::PaddedText, 2> texts;  // what follows each mark
  std::uint32_t special = 0;              // quotes in a head and in the texts (write/json.hpp)
};
const Spelling& spelling(Surface row);
// Fields that no row writes, for whoever asks.
std::span<const std::string_view> never_written();

}  // namespace tpuwh::webhook::write
