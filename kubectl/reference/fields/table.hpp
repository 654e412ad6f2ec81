// All rows of the table, for people and programs.
#pragma once

#include "kubectl/reference/fields/rows.hpp"
#include "server/text/json.hpp"

#include <string>
#include <vector>

namespace tpuwh::server::fields {

// Every type, in the order in which it is told.
const std::vector<Type>& types();
// Null where the table has none of that name.
const Type* find_type(std::string_view name);

// docs/fields.md is the markdown; tests/schemas reads the JSON.
std::string as_markdown();
Json as_json();

}  // namespace tpuwh::server::fields
