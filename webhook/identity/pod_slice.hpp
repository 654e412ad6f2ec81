// The slice that a Pod asks for: from its topology, or from as many hosts as the user says.
#pragma once

#include "topology/slice.hpp"
#include "webhook/facts/shape.hpp"
#include "webhook/outcome/decision.hpp"
#include "webhook/read/cluster.hpp"
#include "webhook/workloads/member.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

namespace tpuwh::webhook::identity {

// The slice, or what becomes of a Pod of which none can be made.
using SliceOrDecision = std::variant<topology::Slice, outcome::Decision>;

// The slice of a Pod before, which most Pods share with it: what the catalog knows of a topology
// is not looked up for each. One per thread.
class KeptSlice {
 public:
  // Null where that Pod asked for something else.
  const topology::Slice* find(const facts::Shape& shape) const;
  // Only what is in the catalog: of that nothing is noted, and it views the catalog alone.
  void keep(const facts::Shape& shape, const topology::Slice& slice);

 private:
  std::string accelerator_, topology_;
  std::uint64_t chips_per_container_ = 0;
  std::size_t containers_ = 0;
  topology::Slice slice_{};
};

//   notes  what the catalog does not know, and why nothing was done
//   cluster  how many hosts a Ray worker group has, for a Pod whose nodes a ComputeClass chooses
SliceOrDecision slice_of(const facts::Shape& shape, const workloads::Member& member,
                         std::string_view ns, const read::ClusterView& cluster, KeptSlice& kept,
                         outcome::Notes& notes);

}  // namespace tpuwh::webhook::identity
