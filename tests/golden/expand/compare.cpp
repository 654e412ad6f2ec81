#include "tests/golden/expand/compare.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace tpuwh::test {

namespace {

constexpr std::string_view letters = "bcdfghjklmnpqrstvwxz2456789";

bool is_word_of_cluster(std::string_view word) {
  // KubeRay prints a SHA-1 sum in base 32.
  if (word.size() == 32)
    return word.find_first_not_of("0123456789ABCDEFGHIJKLMNOPQRSTUV") == std::string_view::npos;
  // The revision of a DisaggregatedSet is the beginning of a SHA-256 sum.
  if (word.size() == 8) return word.find_first_not_of("0123456789abcdef") == std::string_view::npos;
  return (word.size() == 5 || word.size() == 10) &&
         word.find_first_not_of(letters) == std::string_view::npos;
}

bool is_uid(std::string_view text) {
  if (text.size() != 36) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool dash = i == 8 || i == 13 || i == 18 || i == 23;
    if (dash != (text[i] == '-')) return false;
    if (!dash && std::string_view("0123456789abcdef").find(text[i]) == std::string_view::npos)
      return false;
  }
  return true;
}

// Words of letters and digits, and what stands between them.
std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> out;
  const auto is_word = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  };
  for (std::size_t from = 0; from < text.size();) {
    std::size_t to = from + 1;
    while (to < text.size() && is_word(text[to]) == is_word(text[from])) ++to;
    out.push_back(text.substr(from, to - from));
    from = to;
  }
  return out;
}

class Walk {
 public:
  Walk(Placeholders& placeholders, Compared& out) : placeholders_(placeholders), out_(out) {}

  void values(const Json& expanded, const Json& recorded, const std::string& path) {
    if (expanded.is_object() && recorded.is_object()) return members(expanded, recorded, path);
    if (expanded.is_array() && recorded.is_array()) return items(expanded, recorded, path);
    ++out_.fields;
    const bool same = expanded.is_string() && recorded.is_string()
                          ? placeholders_.same(expanded.get_ref<const std::string&>(),
                                               recorded.get_ref<const std::string&>())
                          : expanded == recorded;
    if (!same) add(Kind::another_value, path, expanded.dump() + " for " + recorded.dump());
  }

 private:
  // What stands on one side alone is said leaf by leaf.
  void add_all(Kind kind, const std::string& path, const Json& value) {
    if (!value.is_structured() || value.empty()) return add(kind, path, value.dump());
    const Json nothing = value.is_object() ? Json::object() : Json::array();
    kind == Kind::only_expanded ? values(value, nothing, path) : values(nothing, value, path);
  }

  void add(Kind kind, const std::string& path, std::string what) {
    out_.differences.push_back({kind, path, std::move(what)});
  }

  static std::string step(const std::string& path, const std::string& key) {
    return path.empty() ? key : path + " > " + key;
  }

  void members(const Json& expanded, const Json& recorded, const std::string& path) {
    if (expanded.empty() && recorded.empty()) ++out_.fields;
    for (const auto& [key, value] : expanded.items()) {
      if (recorded.contains(key)) {
        values(value, recorded[key], step(path, key));
      } else {
        add_all(Kind::only_expanded, step(path, key), value);
      }
    }
    for (const auto& [key, value] : recorded.items())
      if (!expanded.contains(key)) add_all(Kind::only_recorded, step(path, key), value);
  }

  static std::string name_of(const Json& item, std::size_t number) {
    const Json& name = member(item, "name");
    return name.is_string() ? Placeholders::masked(name.get<std::string>())
                            : std::to_string(number);
  }

  static bool has_name(const Json& list, const std::string& name) {
    for (std::size_t i = 0; i < list.size(); ++i)
      if (name_of(list[i], i) == name) return true;
    return false;
  }

  // Items that stand in one list alone are said; the others have to stand in the same order.
  void items(const Json& expanded, const Json& recorded, const std::string& path) {
    std::vector<const Json*> left = shared(expanded, recorded, Kind::only_expanded, path);
    std::vector<const Json*> right = shared(recorded, expanded, Kind::only_recorded, path);
    for (std::size_t i = 0; i < std::min(left.size(), right.size()); ++i)
      values(*left[i], *right[i], step(path, '[' + name_of(*left[i], i) + ']'));
    if (left.size() != right.size()) add(Kind::another_value, path, "as many items of a name");
  }

  std::vector<const Json*> shared(const Json& list, const Json& other, Kind kind,
                                  const std::string& path) {
    std::vector<const Json*> out;
    for (std::size_t i = 0; i < list.size(); ++i) {
      const std::string name = name_of(list[i], i);
      if (has_name(other, name)) {
        out.push_back(&list[i]);
      } else {
        add(kind, step(path, '[' + name + ']'), list[i].dump());
      }
    }
    return out;
  }

  Placeholders& placeholders_;
  Compared& out_;
};

}  // namespace

bool Placeholders::same_word(std::string_view expanded, std::string_view recorded) {
  const auto forward = recorded_of_.try_emplace(std::string(expanded), recorded).first;
  const auto back = expanded_of_.try_emplace(std::string(recorded), expanded).first;
  return back->second == expanded && (made_again_ || forward->second == recorded);
}

bool Placeholders::same(std::string_view expanded, std::string_view recorded) {
  if (is_uid(expanded) && is_uid(recorded)) return same_word(expanded, recorded);
  const auto left = words_of(expanded), right = words_of(recorded);
  if (left.size() != right.size()) return false;
  for (std::size_t i = 0; i < left.size(); ++i) {
    const bool given = is_word_of_cluster(left[i]) && is_word_of_cluster(right[i]) &&
                       left[i].size() == right[i].size();
    if (left[i] != right[i] && !(given && same_word(left[i], right[i]))) return false;
  }
  return true;
}

std::string Placeholders::masked(std::string_view text) {
  std::string out;
  for (const std::string_view word : words_of(text))
    out += is_word_of_cluster(word) ? std::string_view("?") : word;
  return out;
}

Compared compare(const Json& expanded, const Json& recorded, Placeholders& placeholders) {
  Compared out;
  Walk(placeholders, out).values(expanded, recorded, "");
  return out;
}

bool matches(std::string_view path, std::string_view pattern) {
  const auto star = pattern.find('*');
  if (star == std::string_view::npos) return path == pattern;
  if (path.substr(0, star) != pattern.substr(0, star)) return false;
  const std::string_view rest = pattern.substr(star + 1);
  for (std::size_t i = star; i <= path.size(); ++i)
    if (matches(path.substr(i), rest)) return true;
  return false;
}

}  // namespace tpuwh::test
