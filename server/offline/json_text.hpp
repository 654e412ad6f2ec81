// Reading members of JSON that a user wrote: of any type, or not there.
#pragma once

#include <nlohmann/json.hpp>

#include <string>

namespace tpuwh::server {

// The string that stands under `key`; "" if `object` is none, or holds something else.
inline std::string text_member(const nlohmann::ordered_json& object, const char* key) {
  if (!object.is_object()) return {};
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

// The value under `key`; null if `object` is none or has no such member.
inline nlohmann::ordered_json member(const nlohmann::ordered_json& object, const char* key) {
  if (!object.is_object()) return nullptr;
  const auto found = object.find(key);
  return found != object.end() ? *found : nlohmann::ordered_json();
}

}  // namespace tpuwh::server
