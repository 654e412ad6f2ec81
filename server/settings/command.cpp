#include "server/settings/command.hpp"

#include "server/settings/schema.hpp"
#include "server/settings/table.hpp"
#include "server/text/json_text.hpp"
#include "server/text/yaml.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <istream>
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

// Where each section of a key was met first: the order in which sections are printed, each once.
std::vector<std::size_t> place_of(const std::string& key, const std::vector<Entry>& all) {
  std::vector<std::size_t> out;
  for (auto end = key.find('.'); end != std::string::npos; end = key.find('.', end + 1)) {
    const std::string section = key.substr(0, end + 1);
    const auto first =
        std::ranges::find_if(all, [&](const Entry& each) { return each.key.starts_with(section); });
    out.push_back(static_cast<std::size_t>(first - all.begin()));
  }
  return out;
}

// The settings of a namespace are told one setting after the other.
std::vector<Entry> by_section(const std::vector<Entry>& all) {
  std::vector<Entry> out = all;
  std::ranges::stable_sort(out, {}, [&](const Entry& each) {
    std::vector<std::size_t> place = place_of(each.key, all);
    const auto own = std::ranges::find(all, each.key, &Entry::key);
    place.push_back(static_cast<std::size_t>(own - all.begin()));
    return place;
  });
  return out;
}

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
  return by_section(std::move(out));
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

// Keys of one section follow each other, so that its name is printed once.
std::string as_yaml(const std::vector<Entry>& all) {
  constexpr std::size_t comment_column = 46;
  std::string out;
  std::vector<std::string> open;
  for (const Entry& entry : all) {
    const auto parts = split_key(entry.key);
    std::size_t same = 0;
    while (same < open.size() && same + 1 < parts.size() && open[same] == parts[same]) ++same;
    open.resize(same);
    for (; open.size() + 1 < parts.size(); open.push_back(parts[open.size()]))
      out += fmt::format("{:{}}{}:\n", "", 2 * open.size(), parts[open.size()]);
    const std::string line =
        fmt::format("{:{}}{}: {}", "", 2 * open.size(), parts.back(), leaf_yaml(entry.value));
    out += fmt::format("{:<{}} # {}\n", line, comment_column, entry.from);
  }
  return out;
}

}  // namespace

int run_config_check(const ConfigCheckOptions& options, const text::Console& console) {
  ConfigFile read =
      options.file == "-" ? read_config(console.in, "standard input") : read_config(options.file);
  if (read.problems.empty()) read.problems = contradictions(combine(read.given));
  for (const Problem& problem : read.problems) console.err << problem.text() << "\n";
  if (!read.problems.empty()) return 2;
  console.out << fmt::format("{}: valid; {} set\n", options.file, read.given.size());
  return 0;
}

int run_config_print(const ConfigPrintOptions& options, const text::Console& console) {
  const auto all = entries(options.effective);
  if (options.output == ConfigOutput::yaml) {
    console.out << as_yaml(all);
    return 0;
  }
  Json from = Json::object();
  for (const Entry& entry : all) from[entry.key] = entry.from;
  console.out << text::dump_or_throw({{"config", nested(all)}, {"from", from}}, 2) << "\n";
  return 0;
}

int run_config_schema(const text::Console& console) {
  console.out << text::dump_or_throw(config_schema(), 2) << "\n";
  return 0;
}

}  // namespace tpuwh::server::settings
