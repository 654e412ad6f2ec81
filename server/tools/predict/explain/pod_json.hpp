// What is read of a Pod or another object as JSON: server/tools/objects/json_path.hpp, and what
// only Pods have.
#pragma once

#include "server/tools/objects/json_path.hpp"

#include <map>
#include <string>
#include <string_view>

namespace tpuwh::server::explain {

using objects::annotation;
using objects::at;
using objects::label;

// The one that it names, else this one.
inline std::string namespace_of(const nlohmann::ordered_json& object,
                                const std::string& otherwise) {
  const std::string own = text::text_member(at(object, {"metadata"}), "namespace");
  return own.empty() ? otherwise : own;
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

// Of its node selector.
inline std::string selector(const nlohmann::ordered_json& pod, std::string_view key) {
  return text::text_member(at(pod, {"spec", "nodeSelector"}), std::string(key));
}

}  // namespace tpuwh::server::explain
