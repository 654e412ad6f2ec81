#include "server/source/manifests.hpp"

#include "server/text/input_files.hpp"
#include "server/text/json_text.hpp"
#include "server/text/read_file.hpp"
#include "server/text/read_json.hpp"
#include "server/text/yaml.hpp"

#include <fmt/format.h>

#include <string_view>

namespace tpuwh::server::source {

namespace {

using Json = nlohmann::ordered_json;

constexpr auto what_is_wanted = "a manifest, such as that of a Job, or a List";
constexpr std::string_view space = " \t\r\n";

bool has_text(std::string_view text) {
  return text.find_first_not_of(space) != std::string_view::npos;
}

// A value on each line, more than one of them.
Result<std::vector<Json>> json_lines(std::string_view text) {
  std::vector<Json> out;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const auto end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    if (has_text(line)) {
      if (const auto fault = text::json_fault(line))
        return Error(fault->code(), fmt::format("line {}: {}", number, fault->message()));
      auto value = text::read_json(line, number);
      if (!value) return value.error();
      out.push_back(*std::move(value));
    }
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  }
  return out;
}

Result<std::vector<Json>> values_of(const std::string& text) {
  const char first = text[text.find_first_not_of(space)];
  if (first != '{' && first != '[') return text::parse_yaml(text);
  if (!text::json_fault(text)) {
    auto value = text::read_json(text);
    if (!value) return value.error();
    return std::vector<Json>{*std::move(value)};
  }
  const std::string_view line = std::string_view(text).substr(0, text.find('\n'));
  if (has_text(line) && !text::json_fault(line)) return json_lines(text);
  auto yaml = text::parse_yaml(text);  // a flow mapping is YAML, too
  return yaml ? std::move(yaml) : Result<std::vector<Json>>(*text::json_fault(text));
}

Error unusable(const std::string& name, std::string_view what) {
  return Error(Errc::bad_value, fmt::format("{}: {}; want {}", name, what, what_is_wanted));
}

// The objects of one file, at the end of `out`.
Result<void> add_objects(const std::string& name, const std::string& text,
                         std::vector<Manifest>& out) {
  if (!has_text(text)) return unusable(name, "it is empty");
  const auto values = values_of(text);
  if (!values)
    return Error(values.error().code(), fmt::format("{}: {}", name, values.error().message()));
  std::string fault;
  const std::size_t before = out.size();
  for (const Json& value : *values)
    for_each_item(value, [&](const Json& item) {
      if (!item.is_object())
        fault = fmt::format("document {} is not an object", out.size() - before + 1);
      else if (text::text_member(item, "kind").empty())
        fault = fmt::format("object {} has no kind", out.size() - before + 1);
      else
        out.push_back({name, item});
    });
  if (!fault.empty()) return unusable(name, fault);
  if (out.size() == before) return unusable(name, "it holds no objects");
  return {};
}

}  // namespace

void for_each_item(const Json& object, const std::function<void(const Json& item)>& each) {
  const std::string kind = text::text_member(object, "kind");
  const Json* items = text::find_member(object, "items");
  if (!kind.ends_with("List") || items == nullptr || !items->is_array()) return each(object);
  for (const Json& item : *items) {
    if (!item.is_object() || kind == "List" ||
        (item.contains("kind") && item.contains("apiVersion"))) {
      for_each_item(item, each);
      continue;
    }
    Json named = item;
    if (!named.contains("kind")) named["kind"] = kind.substr(0, kind.size() - 4);
    if (!named.contains("apiVersion"))
      named["apiVersion"] = text::text_member(object, "apiVersion");
    for_each_item(named, each);
  }
}

Result<std::vector<Manifest>> read_manifests(const std::vector<std::string>& names,
                                             std::istream& in) {
  const auto files = text::input_files(names);
  if (!files) return files.error();
  std::vector<Manifest> out;
  std::size_t bytes = 0;
  for (const std::string& file : *files) {
    const std::string name = text::spoken_file(file);
    const auto text = text::read_file_or(in, file, max_manifest_bytes);
    if (!text && text.error().code() != Errc::too_large)
      return Error(Errc::bad_value, fmt::format("cannot read {}: {}", name, text.error().text()));
    if (text) bytes += text->size();
    if (!text || bytes > max_manifest_bytes)
      return Error(Errc::too_large,
                   fmt::format("{}: the manifests have more than {} MiB; want fewer at a time",
                               name, max_manifest_bytes >> 20));
    if (auto added = add_objects(name, *text, out); !added) return added.error();
  }
  return out;
}

}  // namespace tpuwh::server::source
