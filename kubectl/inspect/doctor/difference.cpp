#include "kubectl/inspect/doctor/difference.hpp"

#include "server/text/json_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <set>

namespace tpuwh::server::doctor {

namespace {

bool all_have(const Json& list, bool (*is)(const Json&)) {
  return list.is_array() && std::ranges::all_of(list, is);
}

bool is_text(const Json& value) {
  return value.is_string();
}

bool is_named(const Json& value) {
  return !text::text_member(value, "name").empty();
}

// Names that no two elements share.
bool are_named(const Json& list) {
  if (!all_have(list, is_named)) return false;
  std::set<std::string> names;
  return std::ranges::all_of(
      list, [&](const Json& each) { return names.insert(text::text_member(each, "name")).second; });
}

std::string without_space(const Json& value) {
  auto out = value.get<std::string>();
  std::erase_if(out, [](unsigned char c) { return std::isspace(c) != 0; });
  return out;
}

bool same(const Json& one, const Json& other) {
  if (one.is_string() && other.is_string()) return without_space(one) == without_space(other);
  return one == other;
}

// The element with a name; null if none has it.
Json element_named(const Json& list, const std::string& name) {
  for (const Json& each : list)
    if (text::text_member(each, "name") == name) return each;
  return {};
}

class Comparison {
 public:
  void compare(const std::string& path, const Json& found, const Json& wanted) {
    if (found.is_object() && wanted.is_object()) return objects(path, found, wanted);
    const bool lists = found.is_array() && wanted.is_array();
    if (lists && are_named(found) && are_named(wanted)) return lists_by_name(path, found, wanted);
    if (lists && all_have(found, is_text) && all_have(wanted, is_text)) {
      const auto sorted = [](Json list) {
        std::sort(list.begin(), list.end());
        return list;
      };
      if (sorted(found) == sorted(wanted)) return;
    }
    if (lists && are_alike(found, wanted)) return;
    if (!same(found, wanted)) out_.push_back({path, found, wanted});
  }

  std::vector<Difference> all() { return std::move(out_); }

 private:
  // Element by element: the order of an object's members is nobody's business, nor is that of
  // objects without a name, such as rules, of which a request meets one. Arguments have an order.
  static bool are_alike(const Json& found, const Json& wanted) {
    const auto alike = [](const Json& one, const Json& other) {
      return differences(one, other).empty();
    };
    const auto is_object = [](const Json& each) { return each.is_object(); };
    if (std::ranges::all_of(found, is_object))
      return std::is_permutation(found.begin(), found.end(), wanted.begin(), wanted.end(), alike);
    return std::equal(found.begin(), found.end(), wanted.begin(), wanted.end(), alike);
  }

  void objects(const std::string& path, const Json& found, const Json& wanted) {
    const std::string before = path.empty() ? path : path + '.';
    for (const auto& [key, value] : wanted.items())
      compare(before + key, text::member(found, key), value);
    for (const auto& [key, value] : found.items())
      if (!wanted.contains(key)) compare(before + key, value, Json());
  }

  void lists_by_name(const std::string& path, const Json& found, const Json& wanted) {
    const auto at = [&](const Json& each) {
      return fmt::format("{}[{}]", path, text::text_member(each, "name"));
    };
    for (const Json& each : wanted)
      compare(at(each), element_named(found, text::text_member(each, "name")), each);
    for (const Json& each : found)
      if (element_named(wanted, text::text_member(each, "name")).is_null())
        compare(at(each), each, Json());
  }

  std::vector<Difference> out_;
};

// A name that was written as one: short, and on one line.
std::string shown(const Json& value) {
  constexpr std::size_t longest = 80;
  const std::string text = text::dump_json(value);
  return text.size() <= longest ? text : std::string();
}

}  // namespace

std::string escaped(const std::string& token) {
  std::string out;
  for (const char c : token) {
    if (c == '~')
      out += "~0";
    else if (c == '/')
      out += "~1";
    else
      out += c;
  }
  return out;
}

std::vector<Difference> differences(const Json& found, const Json& wanted) {
  Comparison comparison;
  comparison.compare({}, found, wanted);
  return comparison.all();
}

std::string sentence(const Difference& difference) {
  const auto& [path, found, wanted] = difference;
  const std::string is = shown(found), want = shown(wanted);
  if (found.is_null())
    return want.empty() ? path + " is missing"
                        : fmt::format("{} is missing, expected {}", path, want);
  if (wanted.is_null())
    return is.empty() ? path + " is set, expected none"
                      : fmt::format("{} is {}, expected none", path, is);
  if (is.empty() || want.empty())
    return is.empty() ? path + " differs" : fmt::format("{} is {}, expected another", path, is);
  return fmt::format("{} is {}, expected {}", path, is, want);
}

std::string sentences(const std::vector<Difference>& all) {
  std::vector<std::string> out;
  for (const Difference& each : all) out.push_back(sentence(each));
  return fmt::format("{}", fmt::join(out, "; "));
}

Json filled(Json object, const Json& defaults) {
  if (object.is_array() && defaults.is_array() && defaults.size() == 1)
    for (Json& each : object) each = filled(std::move(each), defaults[0]);
  if (!object.is_object() || !defaults.is_object()) return object;
  for (const auto& [key, value] : defaults.items()) {
    const bool there = object.contains(key) && !object[key].is_null();
    if (there)
      object[key] = filled(object[key], value);
    else if (!value.is_structured() || value.empty())
      object[key] = value;
  }
  return object;
}

std::string pointer(const Json& found, const std::string& path) {
  std::string out;
  const Json* at = &found;
  for (std::size_t begin = 0; begin < path.size();) {
    // A name in brackets may hold dots.
    const bool bracket = path[begin] == '[';
    const std::size_t end =
        bracket ? path.find(']', begin) : std::min(path.find_first_of(".[", begin), path.size());
    if (end == path.npos) return {};
    const std::string token =
        path.substr(begin + (bracket ? 1 : 0), end - begin - (bracket ? 1 : 0));
    if (bracket) {
      std::size_t index = 0;
      while (index < at->size() && text::text_member((*at)[index], "name") != token) ++index;
      if (index == at->size()) return {};
      out += fmt::format("/{}", index);
      at = &(*at)[index];
    } else {
      out += '/' + escaped(token);
      at = &text::member(*at, token);
    }
    begin = end + (bracket ? 1 : 0);
    if (begin < path.size() && path[begin] == '.') ++begin;
  }
  return out;
}

}  // namespace tpuwh::server::doctor
