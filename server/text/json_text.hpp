// Reading members of JSON that a user wrote: of any type, or not there.
#pragma once

#include "webhook/read/body.hpp"
#include "webhook/text/json_reader.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

namespace tpuwh::server::text {

// Why `text` is not a whole JSON value, or is nested deeper than 64 levels; nothing where it is
// one. To be asked first: nlohmann overflows the stack on a hundred thousand brackets
// (docs/facts.md#nlohmann-depth).
inline std::optional<Error> json_fault(std::string_view text) {
  std::string padded(text);
  webhook::text::JsonReader reader;
  if (reader.start(webhook::read::Body(padded).bytes()) && reader.skip() && reader.finish())
    return std::nullopt;
  return reader.error();
}

// Null for what json_fault() has a word against.
inline nlohmann::ordered_json parse_json(std::string_view text) {
  return json_fault(text) ? nlohmann::ordered_json()
                          : nlohmann::ordered_json::parse(text, nullptr, false);
}

// The value under `key`; a null pointer if `object` is not an object or has no such member.
inline const nlohmann::ordered_json* find_member(const nlohmann::ordered_json& object,
                                                 const std::string& key) {
  if (!object.is_object()) return nullptr;
  const auto found = object.find(key);
  return found == object.end() ? nullptr : &*found;
}

// The string that stands under `key`; "" if `object` is none, or holds something else.
inline std::string text_member(const nlohmann::ordered_json& object, const std::string& key) {
  const nlohmann::ordered_json* found = find_member(object, key);
  return found != nullptr && found->is_string() ? found->get<std::string>() : std::string();
}

// A copy of the value under `key`; null if `object` is not an object or has no such member.
inline nlohmann::ordered_json member(const nlohmann::ordered_json& object, const std::string& key) {
  const nlohmann::ordered_json* found = find_member(object, key);
  return found != nullptr ? *found : nlohmann::ordered_json();
}

// On one line. A user's strings may hold bytes that are not UTF-8, for which dump() throws.
inline std::string dump_json(const nlohmann::ordered_json& value) {
  return value.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

// Whether a Kubernetes object has the labels of a selector of equalities, "a=b,c=d"; "" picks all.
inline bool has_labels(const nlohmann::ordered_json& object, std::string_view selector) {
  const nlohmann::ordered_json labels = member(member(object, "metadata"), "labels");
  while (!selector.empty()) {
    const std::string_view term = selector.substr(0, selector.find(','));
    const auto equals = term.find('=');
    if (equals == std::string_view::npos) return false;
    const std::string key(term.substr(0, equals));
    if (text_member(labels, key) != term.substr(equals + 1)) return false;
    selector.remove_prefix(std::min(term.size() + 1, selector.size()));
  }
  return true;
}

}  // namespace tpuwh::server::text
