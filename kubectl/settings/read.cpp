#include "kubectl/settings/read.hpp"

#include "kubectl/text/near_miss.hpp"
#include "kubectl/text/yaml.hpp"
#include "server/settings/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

namespace tpuwh::server::settings {

namespace {

// Returns whether the text has a line that is neither blank, nor a comment, nor a YAML document
// marker ("---" or "...").
bool says_something(std::string_view text) {
  while (!text.empty()) {
    auto line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    line.remove_prefix(std::min(line.find_first_not_of(" \t\r"), line.size()));
    if (!line.empty() && line.front() != '#' && !line.starts_with("---") &&
        !line.starts_with("..."))
      return true;
  }
  return false;
}

// Adds the keys of all sections and settings below `tree` to `out`. `section` is the beginning of
// each key: "drain." for "drain.delay".
void add_keys(const KeyTree& tree, const std::string& section, std::vector<std::string>& out) {
  for (const KeyTree& child : tree.children) {
    const std::string& key = out.emplace_back(section + child.name);
    add_keys(child, std::string(key) + ".", out);
  }
}

// Returns the known key that was probably meant by `found`, or "" if there is none. For example,
// returns "drain.delay" for "drain.dealy", for "delay" and for "drain-delay".
std::string probable_key(const std::string& found) {
  std::vector<std::string> keys;
  add_keys(key_tree(), "", keys);
  if (auto near = text::closest(found, keys); !near.empty()) return near;
  const std::string end = "." + found.substr(found.rfind('.') + 1);
  const auto below =
      std::ranges::find_if(keys, [&](const auto& key) { return key.ends_with(end); });
  return below == keys.end() ? std::string() : *below;
}

}  // namespace

ConfigFile parse_yaml_config(const std::string& text, const std::string& file) {
  const text::LocatedYaml document = text::parse_located_yaml(text);
  ConfigFile out = settings_in(document.value, file, document.lines);
  for (Problem& each : out.problems)
    if (const auto near = each.unknown_key ? probable_key(each.key) : std::string(); !near.empty())
      each.what = "unknown key" + text::did_you_mean(near);
  for (const text::YamlProblem& each : document.problems)
    out.problems.push_back({fmt::format("{}:{}", file, each.line), "", each.what, each.line});
  // yaml-cpp reads "," as nothing.
  if (document.value.is_null() && document.problems.empty() && says_something(text))
    out.problems.push_back({file + ":1", "", "expected a mapping of keys, got nothing", 1});
  std::ranges::stable_sort(out.problems, {}, &Problem::line);
  return out;
}

}  // namespace tpuwh::server::settings
