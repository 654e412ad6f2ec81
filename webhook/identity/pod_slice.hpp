// The slice that a Pod asks for: from its topology, or from as many hosts as the user says.
#pragma once

#include "topology/slice.hpp"
#include "webhook/facts/shape.hpp"
#include "webhook/outcome/decision.hpp"
#include "webhook/read/cluster.hpp"
#include "webhook/workloads/member.hpp"

#include <variant>

namespace tpuwh::webhook::identity {

// The slice, or what becomes of a Pod of which none can be made.
using SliceOrDecision = std::variant<topology::Slice, outcome::Decision>;

//   notes  what the catalog does not know, and why nothing was done
//   cluster  how many hosts a Ray worker group has, for a Pod whose nodes a ComputeClass chooses
SliceOrDecision slice_of(const facts::Shape& shape, const workloads::Member& member,
                         std::string_view ns, const read::ClusterView& cluster,
                         outcome::Notes& notes);

}  // namespace tpuwh::webhook::identity
