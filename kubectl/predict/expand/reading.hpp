// What a user wrote, read with its path: each function says what is missing or of a wrong type.
//
// Go reads a null as if the member were absent, so nulls are taken out first, and afterwards a
// member is there or not.
#pragma once

#include "kubectl/predict/expand/expand.hpp"
#include "webhook/controllers/counts.hpp"

#include <initializer_list>
#include <string_view>

namespace tpuwh::server::expand {

namespace controllers = webhook::controllers;

Json without_nulls(const Json& value);

enum class Shape { object, array, objects, strings, string_map, string, integer, boolean };

// A member and what it has to be where it is there.
struct Member {
  const char* key;
  Shape shape;
};

//   errors  wrong_type with the path of the first member that is something else
Result<void> check_members(const Json& object, std::initializer_list<Member> members,
                           const std::string& path);

// The object or text under `key`, which has to be there.
//
//   errors  bad_value "is missing", also for ""; wrong_type
Result<const Json*> need_object(const Json& parent, const char* key, const std::string& path);
Result<std::string> need_text(const Json& parent, const char* key, const std::string& path);

// The object under `key`; an empty one where it is absent or something else.
const Json& object_or_empty(const Json& parent, const char* key);
// The same of an array.
const Json& array_or_empty(const Json& parent, const char* key);

// A number of Pods, replicas, hosts.
//
//   check_counts  errors  wrong_type; bad_value for a negative one and one that is no int32
//   count_or      a negative number is 0; `otherwise` where there is no integer
Result<void> check_counts(const Json& object, std::initializer_list<const char*> keys,
                          const std::string& path);
std::uint64_t count_or(const Json& object, const char* key, std::uint64_t otherwise);
// For what controllers make of it: nothing where there is no integer.
webhook::controllers::Number number(const Json& object, const char* key);

// So many are shown: of what is scaled to none one, or as many as make a `whole`.
inline std::uint64_t shown(std::uint64_t count, const ExpandOptions& options,
                           controllers::Number whole = {}) {
  return count == 0 && options.at_least_one ? controllers::one_or(whole) : count;
}

bool flag_or(const Json& object, const char* key, bool otherwise);

// Sum and product that end at the largest number.
std::uint64_t add_up(std::uint64_t a, std::uint64_t b);
std::uint64_t multiply(std::uint64_t a, std::uint64_t b);

// "spec" and "replicas" are "spec.replicas"; "" and "spec" are "spec".
std::string below(const std::string& path, std::string_view key);

}  // namespace tpuwh::server::expand
