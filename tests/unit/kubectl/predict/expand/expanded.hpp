// A manifest in, its Pods out.
#pragma once

#include "kubectl/predict/expand/expand.hpp"
#include "kubectl/text/yaml.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace tpuwh::server::expand {

struct Expansion {
  std::vector<Json> pods;
  std::string error;  // "" where there is none
};

inline Json object_of(const std::string& yaml) {
  const auto documents = text::parse_yaml(yaml);
  EXPECT_TRUE(documents) << yaml;
  return documents && !documents->empty() ? documents->front() : Json();
}

// Each edit is a JSON pointer and the field's new value in YAML. nullptr removes the field.
// edited() returns the object of `yaml` with these edits.
using Edits = std::vector<std::pair<const char*, const char*>>;
inline Json edited(const char* yaml, const Edits& edits) {
  Json out = object_of(yaml);
  for (const auto& [place, value] : edits) {
    const Json::json_pointer at(place);
    if (value != nullptr)
      out[at] = object_of(value);
    else
      out[at.parent_pointer()].erase(at.back());
  }
  return out;
}

// At most `most` of them.
inline Expansion expansion_of(const Json& object, const ExpandOptions& options = {},
                              std::size_t most = 100) {
  Expansion out;
  const auto done = for_each_pod(object, options, [&](const Json& pod) {
    out.pods.push_back(pod);
    return out.pods.size() < most;
  });
  if (!done) out.error = done.error().text();
  return out;
}

inline Expansion expand_yaml(const std::string& yaml, const ExpandOptions& options = {}) {
  return expansion_of(object_of(yaml), options);
}

inline Expansion expand_edited(const char* yaml, const Edits& edits,
                               const ExpandOptions& options = {}) {
  return expansion_of(edited(yaml, edits), options);
}

// The values of a variable in the first container of each Pod; "-" where it is not there.
inline std::vector<std::string> variable(const Expansion& expansion, const std::string& name) {
  std::vector<std::string> out;
  for (const Json& pod : expansion.pods) {
    out.push_back("-");
    const Json& container = pod["spec"]["containers"][0];
    if (!container.contains("env")) continue;
    for (const Json& entry : container["env"])
      if (entry["name"] == name) out.back() = entry.value("value", "");
  }
  return out;
}

// The values of a label, in the same way.
inline std::vector<std::string> labels_of(const Expansion& expansion, const std::string& key) {
  std::vector<std::string> out;
  for (const Json& pod : expansion.pods)
    out.push_back(pod["metadata"].value("labels", Json::object()).value(key, "-"));
  return out;
}

inline std::vector<std::string> names_of(const Expansion& expansion) {
  std::vector<std::string> out;
  for (const Json& pod : expansion.pods)
    out.push_back(pod["metadata"].value("name", pod["metadata"].value("generateName", "")));
  return out;
}

using Texts = std::vector<std::string>;

}  // namespace tpuwh::server::expand
