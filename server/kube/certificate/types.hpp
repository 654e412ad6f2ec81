// What an answer of the API server is to be, said where it is something else: nothing that a peer
// answers is an exception here.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace tpuwh::server::kube::certificate {

// "a list", "a number", "null"
std::string type_of(const nlohmann::ordered_json& value);

// "" for an object; else "it is a list, expected an object", with `what` for "it".
std::string object_fault(const nlohmann::ordered_json& value, const std::string& what);

// "" where the member is absent, null or an object; `where` is said before its key.
std::string member_fault(const nlohmann::ordered_json& object, const char* key,
                         const std::string& where);

}  // namespace tpuwh::server::kube::certificate
