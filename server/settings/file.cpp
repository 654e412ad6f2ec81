#include "server/settings/file.hpp"

#include "base/names.hpp"
#include "server/settings/table.hpp"
#include "server/text/json_text.hpp"
#include "server/text/near_miss.hpp"
#include "server/text/visible.hpp"
#include "server/text/yaml.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <istream>

namespace tpuwh::server::settings {

namespace {

std::vector<std::string> child_names(const KeyTree& tree) {
  std::vector<std::string> names;
  for (const KeyTree& child : tree.children) names.push_back(child.name);
  return names;
}

// "drain.delay" for a "delay" or a "drain-delay" in the wrong place.
std::string key_elsewhere(const std::string& key) {
  std::vector<std::string> keys;
  for (const Setting& setting : settings()) keys.push_back(setting.key);
  if (auto near = text::closest(key, keys); !near.empty()) return near;
  const auto found = std::ranges::find_if(
      keys, [last = "." + key](const std::string& each) { return each.ends_with(last); });
  return found == keys.end() ? std::string() : *found;
}

// Whether there is more than blank lines, comments and marks between documents.
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

class Walker {
 public:
  Walker(const text::LocatedYaml& document, const std::string& file)
      : document_(document), file_(file) {}

  ConfigFile walk() {
    section(document_.value, key_tree(), {}, {});
    return std::move(out_);
  }

 private:
  // Where in the file: the key, the JSON pointer to it, what stands for '*'.
  struct Place {
    std::string key;
    std::string pointer;
    std::string name;

    Place child(const std::string& part) const {
      Place below = *this;
      below.key += (key.empty() ? "" : ".") + base::printable(part);
      below.pointer = (Json::json_pointer(pointer) / part).to_string();
      return below;
    }
  };

  int line(const Place& place) const { return document_.line(place.pointer); }
  std::string from(const Place& place) const { return fmt::format("{}:{}", file_, line(place)); }
  void problem(const Place& place, std::string what) {
    out_.problems.push_back({from(place), place.key, std::move(what), line(place)});
  }

  void section(const Json& value, const KeyTree& tree, const std::string& section_key,
               const Place& place) {
    if (value.is_null()) return;  // all that it could hold is commented out
    if (!value.is_object()) {
      const auto what = fmt::format("expected a mapping of {}", fmt::join(child_names(tree), ", "));
      return problem(place, fmt::format("{}, got {}", what, short_text(value)));
    }
    for (const auto& [part, member] : value.items()) {
      const Place below = place.child(part);
      if (section_key.empty() && place.key.empty() && part == "$schema") continue;  // editors' own
      if (const KeyTree* child = tree.child(part))
        value_of(member, *child, below, part, tree);
      else
        problem(below, "unknown key" + advice(part, tree, place));
    }
  }

  void value_of(const Json& value, const KeyTree& tree, Place place, const std::string& part,
                const KeyTree& parent) {
    if (parent.children.front().name == "*") {
      if (!base::is_dns_label(part))
        return problem(place,
                       "expected a namespace name: lower-case letters, digits, inner dashes");
      place.name = part;
    }
    if (tree.setting == nullptr) return section(value, tree, place.key, place);
    if (auto wrong = tree.setting->set(scratch_, place.name, value); !wrong.empty())
      return problem(place, std::move(wrong));
    out_.given.push_back({tree.setting, place.name, value, from(place)});
  }

  static std::string advice(const std::string& part, const KeyTree& tree, const Place& place) {
    const auto names = child_names(tree);
    if (const auto near = text::closest(part, names); !near.empty())
      return text::did_you_mean(place.child(near).key);
    if (const auto near = key_elsewhere(part); !near.empty()) return text::did_you_mean(near);
    return fmt::format("; expected {}{}", names.size() > 1 ? "one of " : "",
                       fmt::join(names, ", "));
  }

  static std::string short_text(const Json& value) {
    return base::printable(text::dump_json(value));
  }

  const text::LocatedYaml& document_;
  const std::string& file_;
  ServeOptions scratch_;
  ConfigFile out_;
};

ConfigFile unusable(const std::string& file, std::string what) {
  ConfigFile out;
  out.problems.push_back({file, "", std::move(what), 0});
  return out;
}

}  // namespace

std::string Given::key() const {
  std::string key = setting->key;
  if (const auto star = key.find('*'); star != std::string::npos) key.replace(star, 1, name);
  return key;
}

std::string Problem::text() const {
  return text::visible(fmt::format("{}: {}{}{}", from, key, key.empty() ? "" : ": ", what));
}

std::string lines_of(const std::vector<Problem>& problems) {
  std::string out;
  for (const Problem& problem : problems) out += (out.empty() ? "" : "\n") + problem.text();
  return out;
}

ConfigFile parse_config(const std::string& text, const std::string& file) {
  const text::LocatedYaml document = text::parse_located_yaml(text);
  ConfigFile out = Walker(document, file).walk();
  for (const text::YamlProblem& each : document.problems)
    out.problems.push_back({fmt::format("{}:{}", file, each.line), "", each.what, each.line});
  // yaml-cpp reads "," as nothing.
  if (document.value.is_null() && document.problems.empty() && says_something(text))
    out.problems.push_back({file + ":1", "", "expected a mapping of keys, got nothing", 1});
  std::ranges::stable_sort(out.problems, {}, &Problem::line);
  return out;
}

ConfigFile read_config(std::istream& in, const std::string& name) {
  std::string text(limits::config_bytes + 1, '\0');
  errno = 0;
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (in.bad() || errno == EISDIR) return unusable(name, std::strerror(errno));
  text.resize(static_cast<std::size_t>(in.gcount()));
  if (text.size() > limits::config_bytes)
    return unusable(name, fmt::format("is larger than {} bytes, the most a ConfigMap holds",
                                      limits::config_bytes));
  return parse_config(text, name);
}

ConfigFile read_config(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) return unusable(file, std::strerror(errno));
  return read_config(in, file);
}

}  // namespace tpuwh::server::settings
