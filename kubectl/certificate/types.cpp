#include "kubectl/certificate/types.hpp"

#include "server/text/json_text.hpp"

#include <fmt/format.h>

namespace tpuwh::server::certificate {

std::string type_of(const Json& value) {
  if (value.is_object()) return "an object";
  if (value.is_array()) return "a list";
  if (value.is_string()) return "a string";
  if (value.is_boolean()) return "a boolean";
  if (value.is_number()) return "a number";
  return value.is_null() ? "null" : "no JSON";
}

std::string object_fault(const Json& value, const std::string& what) {
  if (value.is_object()) return {};
  return fmt::format("{} is {}, expected an object", what, type_of(value));
}

std::string member_fault(const Json& object, const char* key, const std::string& where) {
  const Json* found = text::find_member(object, key);
  if (found == nullptr || found->is_null()) return {};
  return object_fault(*found, where + (where.ends_with('.') ? "" : " ") + key);
}

}  // namespace tpuwh::server::certificate
