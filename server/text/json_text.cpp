#include "server/text/json_text.hpp"

#include "base/characters.hpp"
#include "base/json/reader.hpp"
#include "server/text/json_builder.hpp"
#include "webhook/read/body.hpp"

#include <utility>

namespace tpuwh::server::text {

namespace {

// That JSON has as they are, and ASCII.
constexpr base::Characters plain =
    base::characters([](char c) { return c >= 0x20 && c < 0x7f && c != '"' && c != '\\'; });

std::string dumped(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

void append_string(const std::string& text, std::string& out) {
  if (!base::consists_of(plain, text)) {
    out += dumped(text);
    return;
  }
  out += '"';
  out += text;
  out += '"';
}

// As nlohmann prints it, who looks at each byte of a string by itself: most are plain.
void append_json(const Json& value, std::string& out) {
  if (value.is_string()) return append_string(value.get_ref<const std::string&>(), out);
  if (!value.is_structured()) {
    out += dumped(value);
    return;
  }
  const bool object = value.is_object();
  char separator = object ? '{' : '[';
  for (auto each = value.begin(); each != value.end(); ++each) {
    out += std::exchange(separator, ',');
    if (object) {
      append_string(each.key(), out);
      out += ':';
    }
    append_json(*each, out);
  }
  if (value.empty()) out += separator;
  out += object ? '}' : ']';
}

}  // namespace

std::optional<Error> json_fault(std::string_view text) {
  std::string padded(text);
  base::json::Reader reader;
  if (reader.start(webhook::read::Body(padded).bytes()) && reader.skip() && reader.finish())
    return std::nullopt;
  return reader.error();
}

Json parse_or_discard(std::string_view text) {
  JsonBuilder builder;
  if (Json::sax_parse(text, &builder)) return builder.take();
  return Json(Json::value_t::discarded);
}

const Json* find_member(const Json& object, const std::string& key) {
  if (!object.is_object()) return nullptr;
  const auto found = object.find(key);
  return found == object.end() ? nullptr : &*found;
}

std::string text_member(const Json& object, const std::string& key) {
  const Json* found = find_member(object, key);
  return found != nullptr && found->is_string() ? found->get<std::string>() : std::string();
}

const Json& member(const Json& object, const std::string& key) {
  static const Json none;
  const Json* found = find_member(object, key);
  return found != nullptr ? *found : none;
}

std::string dump_json(const Json& value) {
  std::string out;
  append_json(value, out);
  return out;
}

std::string dump_or_throw(const Json& value, int indent) {
  return value.dump(indent);
}

}  // namespace tpuwh::server::text
