// Slice and host of a member from the indices on it, each a plain decimal below its bound.
//
//   errors  index_out_of_range, with the label, its value and where the bound comes from
#pragma once

#include "base/result.hpp"
#include "webhook/facts/facts.hpp"
#include "webhook/workloads/member.hpp"

#include <cstdint>

namespace tpuwh::webhook::identity {

inline constexpr std::uint32_t unbounded = 0xffffffffu;

// How many slices the job has, and which of them this is, where indices say so.
Result<void> settle_slices(facts::Facts& facts);

// Slice and host of a number that counts through all slices of the group.
Result<void> settle_number(facts::Facts& facts, workloads::Member& member);

// The host, by an index of its own.
Result<void> settle_host(facts::Facts& facts);

}  // namespace tpuwh::webhook::identity
