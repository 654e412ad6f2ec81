// A text of objects in, what it holds and makes out.
#pragma once

#include "kubectl/predict/wrappers/open.hpp"
#include "kubectl/text/yaml.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace tpuwh::server::wrappers {

inline std::vector<source::Manifest> manifests_of(const std::string& yaml) {
  std::vector<source::Manifest> out;
  for (auto& object : text::parse_yaml(yaml).value()) out.push_back({"in.yaml", std::move(object)});
  return out;
}

inline Opened opened(const std::string& yaml, std::span<const Wrapper> own = {}) {
  return open(manifests_of(yaml), own, "default");
}

// "Kind name", of each.
inline std::vector<std::string> names_of(const std::vector<source::Manifest>& manifests) {
  std::vector<std::string> out;
  for (const source::Manifest& each : manifests)
    out.push_back(each.object.value("kind", "") + " " +
                  each.object.value("metadata", Json::object()).value("name", ""));
  return out;
}

// "refused: sentence", "not known: sentence", of all.
inline std::vector<std::string> faults_of(const Opened& opened) {
  std::vector<std::string> out;
  for (const Unopened& each : opened.unopened)
    for (const Fault& fault : each.faults)
      out.push_back((fault.refused ? "refused: " : "not known: ") + fault.sentence);
  return out;
}

// The only object that is made.
inline Json one_of(const std::string& yaml) {
  const Opened all = opened(yaml);
  EXPECT_EQ(all.objects.size(), 1u) << yaml;
  return all.objects.empty() ? Json() : all.objects.front().object;
}

}  // namespace tpuwh::server::wrappers
