// Members of a Pod as JSON, "" or null where they are not there.
#pragma once

#include "server/text/json_text.hpp"

#include <initializer_list>
#include <string>
#include <string_view>

namespace tpuwh::server::explain {

inline nlohmann::ordered_json at(const nlohmann::ordered_json& object,
                                 std::initializer_list<const char*> path) {
  nlohmann::ordered_json value = object;
  for (const char* step : path) value = text::member(value, step);
  return value;
}

inline std::string label(const nlohmann::ordered_json& object, const std::string& key) {
  return text::text_member(at(object, {"metadata", "labels"}), key);
}

inline std::string annotation(const nlohmann::ordered_json& object, const std::string& key) {
  return text::text_member(at(object, {"metadata", "annotations"}), key);
}

// Of its node selector.
inline std::string selector(const nlohmann::ordered_json& pod, std::string_view key) {
  return text::text_member(at(pod, {"spec", "nodeSelector"}), std::string(key));
}

}  // namespace tpuwh::server::explain
