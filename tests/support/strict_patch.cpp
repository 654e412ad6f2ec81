#include "tests/support/strict_patch.hpp"

#include <charconv>
#include <optional>
#include <string_view>
#include <vector>

namespace tpuwh::test {

namespace {

using nlohmann::json;

std::optional<std::vector<std::string>> segments_of(std::string_view pointer) {
  std::vector<std::string> segments;
  if (pointer.empty() || pointer.front() != '/') return std::nullopt;
  for (std::size_t i = 0; i < pointer.size(); ++i) {
    if (pointer[i] == '/') {
      segments.emplace_back();
      continue;
    }
    if (pointer[i] != '~') {
      segments.back() += pointer[i];
      continue;
    }
    if (++i == pointer.size() || (pointer[i] != '0' && pointer[i] != '1')) return std::nullopt;
    segments.back() += pointer[i] == '0' ? '~' : '/';
  }
  return segments;
}

// "0", "17"; not "", "-", "01", "+1".
std::optional<std::size_t> index_of(std::string_view text) {
  if (text.empty() || text.size() > 9 || (text.size() > 1 && text.front() == '0')) return {};
  if (text.find_first_not_of("0123456789") != std::string_view::npos) return {};
  std::size_t index = 0;
  std::from_chars(text.data(), text.data() + text.size(), index);
  return index;
}

json* child(json& parent, const std::string& segment) {
  if (parent.is_object()) {
    const auto found = parent.find(segment);
    return found == parent.end() ? nullptr : &*found;
  }
  const auto index = index_of(segment);
  if (!parent.is_array() || !index || *index >= parent.size()) return nullptr;
  return &parent[*index];
}

std::string change(json& parent, const std::string& op, const std::string& last,
                   const json* value) {
  if (op != "add" && child(parent, last) == nullptr) return "names nothing";
  if (parent.is_object()) {
    if (op == "remove")
      parent.erase(last);
    else
      parent[last] = *value;
    return {};
  }
  if (!parent.is_array()) return "the parent is neither object nor array";
  if (op == "add" && last == "-") {
    parent.push_back(*value);
    return {};
  }
  const auto index = index_of(last);
  if (!index || *index > parent.size()) return "no index of the list";
  const auto at = parent.begin() + static_cast<std::ptrdiff_t>(*index);
  if (op == "add")
    parent.insert(at, *value);
  else if (op == "replace")
    *at = *value;
  else
    parent.erase(at);
  return {};
}

std::string apply_one(json& document, const json& operation) {
  if (!operation.is_object() || !operation.contains("op") || !operation.contains("path"))
    return "is no operation";
  const auto op = operation["op"].get<std::string>();
  if (op != "add" && op != "replace" && op != "remove") return "no such op";
  const bool valued = op != "remove";
  if (operation.size() != (valued ? 3u : 2u) || operation.contains("value") != valued)
    return "has other members than its op wants";
  const auto segments = segments_of(operation["path"].get<std::string>());
  if (!segments) return "is no pointer";
  json* parent = &document;
  for (std::size_t i = 0; i + 1 < segments->size(); ++i) {
    parent = child(*parent, (*segments)[i]);
    if (parent == nullptr) return "a parent is missing";
  }
  return change(*parent, op, segments->back(), valued ? &operation["value"] : nullptr);
}

}  // namespace

std::string apply_strictly(json& document, const json& patch) {
  if (!patch.is_array() || patch.empty()) return "the patch is no list of operations";
  for (const json& operation : patch)
    if (const std::string wrong = apply_one(document, operation); !wrong.empty())
      return operation.dump() + ": " + wrong;
  return {};
}

}  // namespace tpuwh::test
