// RFC 6902 as strictly as any applier reads it, and stricter than the API server's
// (docs/facts.md#json-patch): a patch that passes here passes everywhere.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace tpuwh::test {

// Applies `patch` to `document` in place.
//
//   add, replace and remove only, each with exactly its members; pointers begin
//   with '/' and escape '~' properly; the parent exists and is an object or an
//   array; indices are canonical decimals, at most the size for add ("-" too) and
//   below it otherwise; replace and remove need what they name
//
//   returns  "" or what was wrong; the document is then of no use
std::string apply_strictly(nlohmann::json& document, const nlohmann::json& patch);

}  // namespace tpuwh::test
