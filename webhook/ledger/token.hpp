// The label by which a Pod and its entry in the ledger know each other:
// "<slice>-<host>-<16 hex digits>". The digits tell a Pod from a copy of it; the place
// stands in front so that a ledger can be rebuilt from the running Pods (docs/decisions/0007).
#pragma once

#include "topology/next_member.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace tpuwh::webhook::ledger {

// `review_uid` is unique for each request of the API server.
std::string make_token(topology::Place place, std::string_view review_uid);

// The digits that all tokens of one review have.
std::string token_mark(std::string_view review_uid);

// Nothing if the text is not a token.
std::optional<topology::Place> place_of_token(std::string_view token);

}  // namespace tpuwh::webhook::ledger
