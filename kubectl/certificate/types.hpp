// Functions that check the types of JSON values from the API server. They return a sentence that
// describes a wrong type. They do not throw because of such a value.
#pragma once

#include "server/text/json.hpp"

#include <string>

namespace tpuwh::server::certificate {

// "a list", "a number", "null"
std::string type_of(const Json& value);

// Returns "" if `value` is an object. Otherwise returns a sentence that begins with `what`: "it is
// a list, expected an object" if `what` is "it".
std::string object_fault(const Json& value, const std::string& what);

// Returns "" if the field `key` of `object` is absent, null or an object. Otherwise returns a
// sentence about the wrong type, which begins with `where` and the key.
std::string member_fault(const Json& object, const char* key, const std::string& where);

}  // namespace tpuwh::server::certificate
