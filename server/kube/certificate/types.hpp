// What an answer of the API server is to be, said where it is something else: nothing that a peer
// answers is an exception here.
#pragma once

#include "server/text/json.hpp"

#include <string>

namespace tpuwh::server::kube::certificate {

// "a list", "a number", "null"
std::string type_of(const Json& value);

// "" for an object; else "it is a list, expected an object", with `what` for "it".
std::string object_fault(const Json& value, const std::string& what);

// "" where the member is absent, null or an object; `where` is said before its key.
std::string member_fault(const Json& object, const char* key, const std::string& where);

}  // namespace tpuwh::server::kube::certificate
