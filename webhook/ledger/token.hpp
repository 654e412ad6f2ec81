// The label by which a Pod and its entry in the ledger know each other:
// "<slice>-<host>-<16 hex digits>". The digits tell a Pod from a copy of it; the place
// stands in front so that a ledger can be rebuilt from the running Pods (docs/decisions/0007).
#pragma once

#include "topology/next_member.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tpuwh::webhook::ledger {

// `review_uid` is unique for each request of the API server.
std::string make_token(topology::Place place, std::string_view review_uid);

// The digits that all tokens of one review have.
std::string token_mark(std::string_view review_uid);

// Slices and hosts of a place that a ledger gives are numbered below it: they are filled from 0 up,
// and no ledger holds more members (LedgerRecord::max_entries, MemoryLedger::max_members).
inline constexpr std::uint32_t most_places = 1u << 17;

// Whether any ledger can have given it, whatever the size of its group.
inline bool is_possible(const topology::Place& place) {
  return place.slice < most_places && place.host < most_places;
}

// Nothing if the text is not a token, or names a place that no ledger gives: a label is what the
// Pod's author wrote. Whether the place is of the group's slices is GroupSize::holds().
std::optional<topology::Place> place_of_token(std::string_view token);

// The same with any numbers: for a record, whose reader drops what cannot be.
std::optional<topology::Place> parse_token(std::string_view token);

}  // namespace tpuwh::webhook::ledger
