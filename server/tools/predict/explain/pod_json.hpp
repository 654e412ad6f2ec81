// Members of an object as JSON, "" or null where they are not there; nothing is copied, since a
// Pod may carry the names of a thousand hosts several times.
#pragma once

#include "server/text/json_text.hpp"

#include <initializer_list>
#include <map>
#include <string>
#include <string_view>

namespace tpuwh::server::explain {

inline const nlohmann::ordered_json& at(const nlohmann::ordered_json& object,
                                        std::initializer_list<const char*> path) {
  static const nlohmann::ordered_json nothing;
  const nlohmann::ordered_json* value = &object;
  for (const char* step : path) {
    value = text::find_member(*value, step);
    if (value == nullptr) return nothing;
  }
  return *value;
}

// The one that it names, else this one.
inline std::string namespace_of(const nlohmann::ordered_json& object,
                                const std::string& otherwise) {
  const std::string own = text::text_member(at(object, {"metadata"}), "namespace");
  return own.empty() ? otherwise : own;
}

inline std::string label(const nlohmann::ordered_json& object, const std::string& key) {
  return text::text_member(at(object, {"metadata", "labels"}), key);
}

inline std::string annotation(const nlohmann::ordered_json& object, const std::string& key) {
  return text::text_member(at(object, {"metadata", "annotations"}), key);
}

// By name, of several the first.
using Containers = std::map<std::string, const nlohmann::ordered_json*>;

inline Containers containers_of(const nlohmann::ordered_json& pod) {
  Containers out;
  for (const char* list : {"containers", "initContainers"})
    for (const nlohmann::ordered_json& each : at(pod, {"spec", list}))
      out.try_emplace(text::text_member(each, "name"), &each);
  return out;
}

// The last entry of a name is the one that counts. Null where there is none.
inline const nlohmann::ordered_json* entry_of(const nlohmann::ordered_json* container,
                                              std::string_view name) {
  const nlohmann::ordered_json* last = nullptr;
  if (container == nullptr) return last;
  for (const nlohmann::ordered_json& each : text::member(*container, "env"))
    if (text::text_member(each, "name") == name) last = &each;
  return last;
}

// Of its node selector.
inline std::string selector(const nlohmann::ordered_json& pod, std::string_view key) {
  return text::text_member(at(pod, {"spec", "nodeSelector"}), std::string(key));
}

}  // namespace tpuwh::server::explain
