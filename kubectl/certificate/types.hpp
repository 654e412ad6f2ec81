// Functions that check the types of JSON values from the API server. If a type is wrong, the
// functions return a sentence that describes the fault, and do not throw.
#pragma once

#include "server/text/json.hpp"

#include <string>

namespace tpuwh::server::certificate {

// "a list", "a number", "null"
std::string type_of(const Json& value);

// Returns "" if `value` is an object. Otherwise returns a sentence that begins with `what`. For
// example, if `what` is "it", returns "it is a list, expected an object".
std::string object_fault(const Json& value, const std::string& what);

// Returns "" if the field `key` of `object` is absent, null or an object. Otherwise returns a
// sentence about the wrong type, which begins with `where` and the key.
std::string member_fault(const Json& object, const char* key, const std::string& where);

}  // namespace tpuwh::server::certificate
