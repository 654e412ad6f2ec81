#include "kubectl/predict/expand/reading.hpp"

#include "base/result.hpp"
#include "server/text/json_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace tpuwh::server::expand {

namespace {

bool all_are(const Json& values, bool (*is)(const Json&)) {
  return std::all_of(values.begin(), values.end(), is);
}

bool is_object(const Json& value) {
  return value.is_object();
}

bool is_string(const Json& value) {
  return value.is_string();
}

bool fits(const Json& value, Shape shape) {
  switch (shape) {
    case Shape::object:
      return value.is_object();
    case Shape::array:
      return value.is_array();
    case Shape::objects:
      return value.is_array() && all_are(value, is_object);
    case Shape::strings:
      return value.is_array() && all_are(value, is_string);
    case Shape::string_map:
      return value.is_object() && all_are(value, is_string);
    case Shape::string:
      return value.is_string();
    case Shape::integer:
      return value.is_number_integer();
    case Shape::boolean:
      return value.is_boolean();
  }
  return false;
}

const char* name_of(Shape shape) {
  switch (shape) {
    case Shape::object:
      return "an object";
    case Shape::array:
      return "an array";
    case Shape::objects:
      return "an array of objects";
    case Shape::strings:
      return "an array of strings";
    case Shape::string_map:
      return "an object of strings";
    case Shape::string:
      return "a string";
    case Shape::integer:
      return "an integer";
    case Shape::boolean:
      return "true or false";
  }
  return "";
}

Error missing(const std::string& path) {
  return bad_value("is missing", path);
}

Error wrong(Shape shape, const std::string& path) {
  return Error(base::Errc::wrong_type, fmt::format("must be {}", name_of(shape)), path);
}

constexpr std::uint64_t largest = std::numeric_limits<std::uint64_t>::max();

}  // namespace

Json without_nulls(const Json& value) {
  if (value.is_array()) {
    Json out = Json::array();
    for (const Json& item : value) out.push_back(without_nulls(item));
    return out;
  }
  if (!value.is_object()) return value;
  // A Json looks for a key among all before it; these are each of its own.
  Json out = Json::object();
  auto& members = out.get_ref<Json::object_t&>();
  for (const auto& [key, member] : value.items())
    if (!member.is_null()) members.emplace_back(key, without_nulls(member));
  return out;
}

Result<void> check_members(const Json& object, std::initializer_list<Member> members,
                           const std::string& path) {
  for (const Member& member : members) {
    const Json* found = text::find_member(object, member.key);
    if (found != nullptr && !fits(*found, member.shape))
      return wrong(member.shape, below(path, member.key));
  }
  return {};
}

Result<const Json*> need_object(const Json& parent, const char* key, const std::string& path) {
  const Json* found = text::find_member(parent, key);
  if (found == nullptr) return missing(below(path, key));
  if (!found->is_object()) return wrong(Shape::object, below(path, key));
  return found;
}

Result<std::string> need_text(const Json& parent, const char* key, const std::string& path) {
  const Json* found = text::find_member(parent, key);
  if (found == nullptr) return missing(below(path, key));
  if (!found->is_string()) return wrong(Shape::string, below(path, key));
  if (found->get_ref<const std::string&>().empty()) return missing(below(path, key));
  return found->get<std::string>();
}

const Json& object_or_empty(const Json& parent, const char* key) {
  static const Json empty = Json::object();
  const Json* found = text::find_member(parent, key);
  return found != nullptr && found->is_object() ? *found : empty;
}

const Json& array_or_empty(const Json& parent, const char* key) {
  static const Json empty = Json::array();
  const Json* found = text::find_member(parent, key);
  return found != nullptr && found->is_array() ? *found : empty;
}

Result<void> check_counts(const Json& object, std::initializer_list<const char*> keys,
                          const std::string& path) {
  for (const char* key : keys) {
    const Json* found = text::find_member(object, key);
    if (found == nullptr) continue;
    if (!found->is_number_integer()) return wrong(Shape::integer, below(path, key));
    if (!found->is_number_unsigned() && found->get<std::int64_t>() < 0)
      return bad_value(fmt::format("is negative: {}", found->get<std::int64_t>()),
                       below(path, key));
    if (count_or(object, key, 0) > std::numeric_limits<std::int32_t>::max())
      return bad_value(fmt::format("is above 2147483647: {}", count_or(object, key, 0)),
                       below(path, key));
  }
  return {};
}

webhook::controllers::Number number(const Json& object, const char* key) {
  const Json* found = text::find_member(object, key);
  if (found == nullptr || !found->is_number_integer()) return std::nullopt;
  if (found->is_number_unsigned()) return found->get<std::uint64_t>();
  return static_cast<std::uint64_t>(std::max<std::int64_t>(0, found->get<std::int64_t>()));
}

std::uint64_t count_or(const Json& object, const char* key, std::uint64_t otherwise) {
  return number(object, key).value_or(otherwise);
}

bool flag_or(const Json& object, const char* key, bool otherwise) {
  const Json* found = text::find_member(object, key);
  return found != nullptr && found->is_boolean() ? found->get<bool>() : otherwise;
}

std::uint64_t add_up(std::uint64_t a, std::uint64_t b) {
  return a > largest - b ? largest : a + b;
}

std::uint64_t multiply(std::uint64_t a, std::uint64_t b) {
  return b != 0 && a > largest / b ? largest : a * b;
}

std::string below(const std::string& path, std::string_view key) {
  return path.empty() ? std::string(key) : fmt::format("{}.{}", path, key);
}

}  // namespace tpuwh::server::expand
