// Members of members: what stands at a path of a Kubernetes object, "" or null where nothing does.
// Nothing of an object is copied, since a Pod may carry the names of a thousand hosts several
// times.
#pragma once

#include "server/text/json_text.hpp"

#include <initializer_list>
#include <string>

namespace tpuwh::server::objects {

inline const nlohmann::ordered_json& at(const nlohmann::ordered_json& object,
                                        std::initializer_list<const char*> path) {
  const nlohmann::ordered_json* value = &object;
  for (const char* step : path) value = &text::member(*value, step);
  return *value;
}

inline std::string label(const nlohmann::ordered_json& object, const std::string& key) {
  return text::text_member(at(object, {"metadata", "labels"}), key);
}

inline std::string annotation(const nlohmann::ordered_json& object, const std::string& key) {
  return text::text_member(at(object, {"metadata", "annotations"}), key);
}

}  // namespace tpuwh::server::objects
