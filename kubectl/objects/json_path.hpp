// Members of members: what stands at a path of a Kubernetes object, "" or null where nothing does.
// Nothing of an object is copied, since a Pod may carry the names of a thousand hosts several
// times.
#pragma once

#include "server/text/json_text.hpp"
#include "webhook/read/vocabulary.hpp"

#include <algorithm>
#include <initializer_list>
#include <string>
#include <string_view>

namespace tpuwh::server::objects {

inline const Json& at(const Json& object, std::initializer_list<const char*> path) {
  const Json* value = &object;
  for (const char* step : path) value = &text::member(*value, step);
  return *value;
}

// As it is spelled on objects: "jobset.sigs.k8s.io/job-index". None of ours, which have a prefix.
inline const char* key_of(webhook::read::Label label) {
  return webhook::read::spelled(label).data();
}
inline const char* key_of(webhook::read::Annotation annotation) {
  return webhook::read::spelled(annotation).data();
}

inline std::string label(const Json& object, const std::string& key) {
  return text::text_member(at(object, {"metadata", "labels"}), key);
}

inline std::string annotation(const Json& object, const std::string& key) {
  return text::text_member(at(object, {"metadata", "annotations"}), key);
}

inline std::string label(const Json& object, webhook::read::Label which) {
  return label(object, key_of(which));
}

inline std::string annotation(const Json& object, webhook::read::Annotation which) {
  return annotation(object, key_of(which));
}

// The condition of this type in the status of an object; a null where there is none.
inline const Json& condition(const Json& object, std::string_view type) {
  static const Json none;
  const Json& all = at(object, {"status", "conditions"});
  if (!all.is_array()) return none;
  const auto found = std::ranges::find_if(
      all, [&](const auto& each) { return text::text_member(each, "type") == type; });
  return found == all.end() ? none : *found;
}

}  // namespace tpuwh::server::objects
