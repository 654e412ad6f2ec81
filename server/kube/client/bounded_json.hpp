// An answer of an API server as a tree of values, if it may make us hold that much.
#pragma once

#include "base/result.hpp"
#include "server/text/json.hpp"

#include <string_view>

namespace tpuwh::server::kube::client {

// Looked through before anything of it is kept: an empty array costs a byte of text and a hundred
// of memory.
//
//   errors  bad_json, as the end of a sentence: "is no JSON", "has more than 10000 values", "is
//           nested deeper than 32 levels" (limits::api::answer_values, answer_depth)
Result<Json> parse_bounded(std::string_view text);

}  // namespace tpuwh::server::kube::client
