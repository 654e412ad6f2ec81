// YAML manifests as JSON, typed as kubectl types them.
#pragma once

#include "topology/result.hpp"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace tpuwh::server {

// The documents of a YAML stream; empty ones are left out.
//
//   types   plain scalars are null, true, false, numbers or strings as YAML 1.1 in
//           Kubernetes' reader has them (yes, no, on and off are booleans); quoted
//           ones are strings
//   errors  bad_json with line and column; too_deep below 64 levels; duplicate_key
Result<std::vector<nlohmann::ordered_json>> parse_yaml(const std::string& text);

// For people: block style, a string quoted only where it would not read as one.
std::string to_yaml(const nlohmann::ordered_json& value);

}  // namespace tpuwh::server
