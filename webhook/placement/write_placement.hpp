// The operations that carry out a Placement.
#pragma once

#include "base/buffer.hpp"
#include "base/name_list.hpp"
#include "webhook/config/config.hpp"
#include "webhook/placement/placement.hpp"
#include "webhook/read/pod.hpp"
#include "webhook/write/patch.hpp"
#include "webhook/write/shared_text.hpp"

#include <string_view>

namespace tpuwh::webhook::placement {

// Affinities of the slices seen last. Members of a slice get the same: most the whole of it, those
// that have one (JobSet's leaders) the same operations.
struct Affinities {
  write::SharedTexts texts;
  base::Buffer key;         // of one of them, while it is looked for
  write::Patch operations;  // while they are made
};

// The Pod that gets a placement, and where its operations go.
struct PlacementTarget {
  const read::Pod& pod;
  const base::NameList& unfit_pools;  // find_unfit_pools()
  Affinities& affinities;
  write::Patch& patch;
};

// Writes what is missing of it. Applied twice, the second time writes nothing.
void write_placement(const config::Config& config, const Placement& placement,
                     const PlacementTarget& target);

// One of our own labels; the map is there. Nothing where it says `value` already.
void write_own_label(const read::Pod& pod, read::Label which, write::Surface row,
                     std::string_view value, write::Patch& patch);

}  // namespace tpuwh::webhook::placement
