// Parses and prints JSON texts that users write, and reads members of objects in which a member can
// be missing or have any type.
//
// The functions here follow the same rules as nlohmann's own functions, and replace those.
// nlohmann's functions are templates. Each module that calls these templates takes about three
// seconds longer to compile.
#pragma once

#include "base/result.hpp"
#include "server/text/json.hpp"

#include <nlohmann/json.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace tpuwh::server::text {

// Why `text` is not a whole JSON value, or is nested deeper than 64 levels; nothing where it is
// one. To be asked first: nlohmann overflows the stack on a hundred thousand brackets
// (docs/facts.md#nlohmann-depth).
std::optional<Error> json_fault(std::string_view text);

// Returns the value of `text`, which must be nested no deeper than json_fault() allows. Returns a
// discarded value if `text` is not JSON.
Json parse_or_discard(std::string_view text);

// The value under `key`; a null pointer if `object` is not an object or has no such member.
const Json* find_member(const Json& object, const std::string& key);

// Returns the string under `key`, or "" if `object` is not an object or the value is not a string.
std::string text_member(const Json& object, const std::string& key);

// The value under `key`, in `object`; a null if that is not an object or has no such member. What
// is in a temporary would be gone with it.
const Json& member(const Json& object, const std::string& key);
const Json& member(const Json&& object, const std::string& key) = delete;

// On one line. A user's strings may hold bytes that are not UTF-8, which are replaced.
std::string dump_json(const Json& value);

// On one line, or indented. Throws nlohmann's type_error for what is not UTF-8.
std::string dump_or_throw(const Json& value, int indent = -1);

}  // namespace tpuwh::server::text
