// YAML manifests as JSON, typed as kubectl types them.
#pragma once

#include "topology/result.hpp"

#include <nlohmann/json.hpp>

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace tpuwh::server::text {

// What aliases may make of a text, in bytes beyond its own: four times the largest manifests. A
// string of 60 KB with 900 aliases to it, in a list with 1,000 more, stands for 54 GB.
inline constexpr std::size_t max_repeated_yaml_bytes = 4 * (std::size_t{8} << 20);

// The documents of a YAML stream; empty ones are left out.
//
//   types   plain scalars are null, true, false, numbers or strings as YAML 1.1 in
//           Kubernetes' reader has them (yes, no, on and off are booleans); quoted
//           ones are strings
//   errors  with the line: bad_json; too_deep below 64 levels; duplicate_key; too_large for more
//           than a million values, or max_repeated_yaml_bytes
//   merges  "<<" as kubectl's reader has it (sigs.k8s.io/yaml): what it names is put where it
//           stands, so that it replaces keys before it and is replaced by those behind it
Result<std::vector<nlohmann::ordered_json>> parse_yaml(const std::string& text);

// A document as kubectl reads it: of a key that stands twice the last value holds. `notes` has a
// sentence for each of these, and for each merge that other readers take another way, with the
// line.
struct YamlDocument {
  nlohmann::ordered_json value;
  std::vector<std::string> notes;
};
Result<std::vector<YamlDocument>> parse_yaml_as_kubectl(const std::string& text);

struct YamlProblem {
  int line;  // from 1
  std::string what;
};

// One document and where its parts stand.
struct LocatedYaml {
  nlohmann::ordered_json value;      // null for an empty text
  std::map<std::string, int> lines;  // JSON pointer -> line of the key or item, from 1
  // A key that stands twice (its first value holds); a second document; what is not YAML, or
  // one of the errors of parse_yaml(), after which `value` is null.
  std::vector<YamlProblem> problems;
};
LocatedYaml parse_located_yaml(const std::string& text);

// For people: block style, a string quoted only where it would not read as one. Read again it is
// the same value.
std::string to_yaml(const nlohmann::ordered_json& value);

}  // namespace tpuwh::server::text
