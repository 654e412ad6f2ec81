// JSON texts that a JSON library does not write: duplicate keys, other spellings,
// another order of members, paths as error messages show them.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace tpuwh::test {

using nlohmann::json;

// Pointers of all values below the root, outermost first.
std::vector<std::string> pointers_of(const json& document);

// "/spec/containers/0/name" as messages say it: "spec.containers[0].name".
std::string path_of(const std::string& pointer);

// The document with the member named twice, the second time spelled with an escape
// if `escaped`; the pointer must name a member of an object.
std::string with_twice(json document, const std::string& pointer, bool escaped);

// The document with `raw` standing where the pointer leads, whatever it is.
std::string with_raw(json document, const std::string& pointer, std::string_view raw);

// The same document with the members of every object in reverse order.
std::string reversed(const json& document);

// The same document with every letter of every string as \u00xx.
std::string all_escaped(const json& document);

}  // namespace tpuwh::test
