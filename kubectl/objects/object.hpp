// What is asked of objects of any kind, and of any Pod.
#pragma once

#include "kubectl/objects/json_path.hpp"

#include <string>

namespace tpuwh::server::objects {

// The one that it names, else `otherwise`.
inline std::string namespace_of(const Json& object, const std::string& otherwise = {}) {
  const std::string own = text::text_member(at(object, {"metadata"}), "namespace");
  return own.empty() ? otherwise : own;
}

// "train", "train-*" of a generateName, "(no name)"
inline std::string shown_name(const Json& object) {
  const Json& metadata = at(object, {"metadata"});
  const std::string name = text::text_member(metadata, "name");
  const std::string generated = text::text_member(metadata, "generateName");
  return !name.empty() ? name : generated.empty() ? "(no name)" : generated + "*";
}

// spec.suspend
inline bool is_suspended(const Json& object) {
  return at(object, {"spec", "suspend"}) == Json(true);
}

// Whether the phase of a Pod is Succeeded or Failed.
inline bool has_ended(const Json& pod) {
  const std::string phase = text::text_member(at(pod, {"status"}), "phase");
  return phase == "Succeeded" || phase == "Failed";
}

}  // namespace tpuwh::server::objects
