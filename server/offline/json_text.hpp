// Reading members of JSON that a user wrote: of any type, or not there.
#pragma once

#include "webhook/admit.hpp"
#include "webhook/json_reader.hpp"

#include <nlohmann/json.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace tpuwh::server {

// Why `text` is no whole JSON value, or is nested deeper than 64 levels; nothing where it is
// one. To be asked first: nlohmann overflows the stack on a hundred thousand brackets.
inline std::optional<Error> json_fault(std::string_view text) {
  std::string padded(text);
  webhook::JsonReader reader;
  if (reader.start(webhook::Body(padded).bytes()) && reader.skip() && reader.finish())
    return std::nullopt;
  return reader.error();
}

// The string that stands under `key`; "" if `object` is none, or holds something else.
inline std::string text_member(const nlohmann::ordered_json& object, const char* key) {
  if (!object.is_object()) return {};
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

// The value under `key`; null if `object` is none or has no such member.
inline nlohmann::ordered_json member(const nlohmann::ordered_json& object, const char* key) {
  if (!object.is_object()) return nullptr;
  const auto found = object.find(key);
  return found != object.end() ? *found : nlohmann::ordered_json();
}

}  // namespace tpuwh::server
