// Sentences about an answer of the API server that has another form than expected. No answer of a
// peer is an exception here.
#pragma once

#include "server/text/json.hpp"

#include <string>

namespace tpuwh::server::certificate {

// "a list", "a number", "null"
std::string type_of(const Json& value);

// Returns "" for an object, otherwise "it is a list, expected an object", with `what` for "it".
std::string object_fault(const Json& value, const std::string& what);

// Returns "" if the member is absent, null or an object; a fault begins with `where` and the key.
std::string member_fault(const Json& object, const char* key, const std::string& where);

}  // namespace tpuwh::server::certificate
