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

// What one value of a file is, and what has to be said of how it was read.
using Documents = std::vector<text::YamlDocument>;

Result<text::YamlDocument> read_one(std::string_view text, std::size_t line) {
  std::string said;
  auto value = text::read_json(text, line, text::Twice::last_holds, &said);
  if (!value) return value.error();
  text::YamlDocument out{*std::move(value), {}};
  if (!said.empty()) out.notes.push_back(line == 1 ? said : fmt::format("line {}: {}", line, said));
  return out;
}

// A value on each line, more than one of them.
Result<Documents> json_lines(std::string_view text) {
  Documents out;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const auto end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    if (has_text(line)) {
      if (const auto fault = text::json_fault(line))
        return Error(fault->code(), fmt::format("line {}: {}", number, fault->message()));
      auto value = read_one(line, number);
      if (!value) return value.error();
      out.push_back(*std::move(value));
    }
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  }
  return out;
}

Result<Documents> values_of(const std::string& text) {
  const char first = text[text.find_first_not_of(space)];
  if (first != '{' && first != '[') return text::parse_yaml_as_kubectl(text);
  if (!text::json_fault(text)) {
    auto value = read_one(text, 1);
    if (!value) return value.error();
    return Documents{*std::move(value)};
  }
  const std::string_view line = std::string_view(text).substr(0, text.find('\n'));
  if (has_text(line) && !text::json_fault(line)) return json_lines(text);
  auto yaml = text::parse_yaml_as_kubectl(text);  // a flow mapping is YAML, too
  return yaml ? std::move(yaml) : Result<Documents>(*text::json_fault(text));
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
    return Error(values.error().code(), fmt::format("{}: {}", name, values.error().text()));
  std::string fault;
  const std::size_t before = out.size();
  for (const text::YamlDocument& document : *values)
    for_each_item(document.value, [&](const Json& item) {
      if (!item.is_object())
        fault = fmt::format("document {} is not an object", out.size() - before + 1);
      else if (text::text_member(item, "kind").empty())
        fault = fmt::format("object {} has no kind", out.size() - before + 1);
      else
        out.push_back({name, item, document.notes});
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
