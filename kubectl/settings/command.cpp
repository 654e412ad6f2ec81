#include "kubectl/settings/command.hpp"

#include "kubectl/settings/read.hpp"
#include "kubectl/settings/schema.hpp"
#include "kubectl/text/json_line.hpp"
#include "kubectl/text/yaml.hpp"
#include "server/settings/table.hpp"
#include "server/text/json_text.hpp"
#include "server/text/visible.hpp"

#include <fmt/format.h>

#include <map>
#include <ostream>

namespace tpuwh::server::settings {

namespace {

constexpr const char* by_default = "default";

// A key and its value as one that could have been given: '*' replaced by each name.
struct Entry {
  std::string key;
  Json value;
  std::string from;
};

std::vector<Entry> entries(const Effective& effective) {
  std::vector<Entry> out;
  const auto add = [&](const std::string& key, const Json& value) {
    const auto found = effective.from.find(key);
    out.push_back({key, value, found == effective.from.end() ? by_default : found->second});
  };
  for (const Setting& setting : settings()) {
    const Json value = setting.get(effective.options);
    if (value.is_null()) continue;  // an override that says nothing
    if (setting.key.find('*') == std::string::npos) {
      add(setting.key, value);
      continue;
    }
    for (const auto& [name, each] : value.items()) add(Given{&setting, name, {}, {}}.key(), each);
  }
  return out;
}

Json nested(const std::vector<Entry>& all) {
  Json out = Json::object();
  for (const Entry& entry : all) {
    Json* at = &out;
    for (const std::string& part : split_key(entry.key)) at = &(*at)[part];
    *at = entry.value;
  }
  return out;
}

std::string leaf_yaml(const Json& value) {
  // A list or a mapping on one line, so that the comment stands beside it.
  std::string text = value.is_structured() ? text::dump_or_throw(value) : text::to_yaml(value);
  while (text.ends_with('\n')) text.pop_back();
  return text;
}

// A section, and those in it: the settings of a namespace stand one setting after the other in the
// table, and its name is printed once.
void append_section(const Json& section, const std::string& prefix, std::size_t indent,
                    const std::map<std::string, const Entry*>& by_key, std::string& out) {
  constexpr std::size_t comment_column = 46;
  for (const auto& [name, value] : section.items()) {
    const auto leaf = by_key.find(prefix + name);
    if (leaf == by_key.end()) {
      out += fmt::format("{:{}}{}:\n", "", indent, name);
      append_section(value, prefix + name + ".", indent + 2, by_key, out);
      continue;
    }
    const std::string line = fmt::format("{:{}}{}: {}", "", indent, name, leaf_yaml(value));
    out += fmt::format("{:<{}} # {}\n", line, comment_column, text::visible(leaf->second->from));
  }
}

std::string as_yaml(const std::vector<Entry>& all) {
  std::map<std::string, const Entry*> by_key;
  for (const Entry& entry : all) by_key[entry.key] = &entry;
  std::string out;
  append_section(nested(all), "", 0, by_key, out);
  return out;
}

}  // namespace

int run_config_check(const ConfigCheckOptions& options, const text::Console& console) {
  const ConfigFile read = check_config(options.file, console.in, parse_yaml_config);
  for (const Problem& problem : read.problems) console.err << text::printed("{}\n", problem.text());
  if (!read.problems.empty()) return 2;
  console.out << text::printed("{}: valid; {} set\n", options.file, read.given.size());
  return 0;
}

int run_config_print(const ConfigPrintOptions& options, const text::Console& console) {
  const auto all = entries(options.effective);
  console.out << (options.output == ConfigOutput::yaml ? text::printed_lines(as_yaml(all))
                                                       : text::json_line(nested(all), true));
  return 0;
}

int run_config_schema(const text::Console& console) {
  console.out << text::json_line(config_schema(), true);
  return 0;
}

}  // namespace tpuwh::server::settings
