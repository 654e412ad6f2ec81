// Reads objects of the API from YAML.
#pragma once

#include "kubectl/text/yaml.hpp"

#include <nlohmann/json.hpp>

#include <string>

namespace tpuwh::test {

// The first document.
inline nlohmann::ordered_json yaml(const std::string& text) {
  return server::text::parse_yaml(text).value().front();
}

}  // namespace tpuwh::test
