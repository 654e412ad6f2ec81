// What else says how large the slice is and who the Pod is, held against the arithmetic
// (docs/decisions/0014). Each function returns the sentence that says so, or "" where nothing
// contradicts.
#pragma once

#include "topology/slice.hpp"
#include "webhook/facts/facts.hpp"
#include "webhook/read/cluster.hpp"

#include <string>

namespace tpuwh::webhook::identity {

// The owner says how many members a group has and how many of them are a slice; a slice
// of another number of hosts cannot be made of them.
std::string group_misfit(const facts::Facts& facts);

// Annotation worker-count is not the hosts of the slice.
std::string wrong_worker_count(const facts::Facts& facts);
// Annotation worker-id is not the host that the labels say.
std::string wrong_worker_id(const facts::Facts& facts);
// The RayCluster's numOfHosts is not the hosts of the slice.
std::string wrong_ray_group(const facts::Facts& facts, const read::ClusterView& cluster);

// A name or a topology of a template that nobody filled in (base::has_placeholder).
Error not_filled_in(std::string_view what, std::string_view text);

// "4x4 with 4 chips per Pod has 4 hosts", for messages.
std::string hosts_of(const topology::Slice& slice);

}  // namespace tpuwh::webhook::identity
