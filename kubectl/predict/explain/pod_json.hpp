// Functions that read fields of a Pod from its JSON. The functions that work for any object come
// from kubectl/objects/object.hpp.
#pragma once

#include "kubectl/objects/object.hpp"

#include <map>
#include <string>
#include <string_view>

namespace tpuwh::server::explain {

using objects::annotation;
using objects::at;
using objects::label;
using objects::namespace_of;

// By name, of several the first.
using Containers = std::map<std::string, const Json*>;

inline Containers containers_of(const Json& pod) {
  Containers out;
  for (const char* list : {"containers", "initContainers"})
    for (const Json& each : at(pod, {"spec", list}))
      out.try_emplace(text::text_member(each, "name"), &each);
  return out;
}

// Returns the value of a key in the Pod's node selector, or "" if the key is absent.
inline std::string selector(const Json& pod, std::string_view key) {
  return text::text_member(at(pod, {"spec", "nodeSelector"}), std::string(key));
}

}  // namespace tpuwh::server::explain
