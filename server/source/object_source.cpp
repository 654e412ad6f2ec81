#include "server/source/object_source.hpp"

#include "server/text/input_files.hpp"
#include "server/text/json_text.hpp"
#include "server/text/near_miss.hpp"
#include "server/text/read_file.hpp"
#include "server/text/read_json.hpp"
#include "server/text/yaml.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tpuwh::server::source {

namespace {

using Json = nlohmann::ordered_json;

// Of no value where the text is neither JSON nor YAML of objects; JSON's fault is then told, since
// any text is YAML.
Result<std::vector<Json>> documents(const std::string& text) {
  auto json = text::read_json(text);
  if (json) return std::vector<Json>{*std::move(json)};
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first != std::string::npos && text[first] != '{' && text[first] != '[') {
    auto yaml = text::parse_yaml(text);
    const auto is_object = [](const Json& each) { return each.is_object(); };
    if (yaml && std::ranges::any_of(*yaml, is_object)) return yaml;
  }
  return json.error();
}

}  // namespace

// The objects of one file, at the end of `out`.
Result<void> SnapshotFile::read(const std::string& file, std::vector<Json>& out) {
  const std::string name = text::spoken_file(file);
  const auto text = text::read_file_or(in_, file, text::max_snapshot_bytes);
  if (!text)
    return Error(Errc::bad_value, fmt::format("cannot read {}: {}; create it with {}", name,
                                              text.error().text(), made_with_));
  if (text->find_first_not_of(" \t\r\n") == std::string::npos)
    return Error(Errc::bad_value, fmt::format("{} is empty; create it with {}", name, made_with_));
  auto roots = documents(*text);
  if (!roots)
    return Error(Errc::bad_json, fmt::format("{} is not JSON: {}; create it with {}", name,
                                             roots.error().message(), made_with_));
  for (Json& root : *roots) {
    const Json* items = text::find_member(root, "items");
    const bool list = items != nullptr && items->is_array();
    if (!list && text::text_member(root, "kind").empty())
      return Error(
          Errc::wrong_type,
          fmt::format("{} is not a List of Kubernetes objects, but {}; create it with {}", name,
                      root.is_object() ? "an object without kind" : root.type_name(), made_with_));
    if (list)
      for (Json& item : root["items"]) out.push_back(std::move(item));
    else
      out.push_back(std::move(root));
  }
  return {};
}

Result<void> SnapshotFile::for_each(const Each& each) {
  namespaces_.clear();
  has_namespaces_ = false;
  const auto files = text::input_files(files_);
  if (!files)
    return Error(Errc::bad_value,
                 fmt::format("{}; create it with {}", files.error().text(), made_with_));
  std::vector<Json> objects;
  for (const std::string& file : *files)
    if (auto fine = read(file, objects); !fine) return fine;
  if (objects.empty() && !may_be_empty_)
    return Error(Errc::bad_value, fmt::format("{} holds no objects; create it with {}",
                                              files->size() == 1 ? text::spoken_file(files->front())
                                                                 : "the snapshot",
                                              made_with_));
  for (const Json& object : objects) {
    const Json* metadata = text::find_member(object, "metadata");
    if (metadata == nullptr) continue;
    const bool is_namespace = text::text_member(object, "kind") == "Namespace";
    has_namespaces_ = has_namespaces_ || is_namespace;
    namespaces_.insert(text::text_member(*metadata, is_namespace ? "name" : "namespace"));
  }
  for (const bool pods : {false, true})
    for (const Json& object : objects) {
      const std::string kind = text::text_member(object, "kind");
      if ((kind == "Pod") == pods) each(kind, object);
    }
  return {};
}

std::string SnapshotFile::missing_namespace(const std::string& ns) {
  if (namespaces_.contains(ns)) return {};
  const std::vector<std::string> known(namespaces_.begin(), namespaces_.end());
  const std::string hint = text::did_you_mean(text::closest(ns, known));
  return has_namespaces_ ? fmt::format("namespace {} does not exist{}", ns, hint)
                         : fmt::format("the snapshot holds no object in namespace {}{}", ns, hint);
}

}  // namespace tpuwh::server::source
