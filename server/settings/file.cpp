#include "server/settings/file.hpp"

#include "base/names.hpp"
#include "server/settings/table.hpp"
#include "server/text/json_builder.hpp"
#include "server/text/json_text.hpp"
#include "server/text/visible.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <istream>
#include <string_view>

namespace tpuwh::server::settings {

namespace {

class Walker {
 public:
  Walker(const std::string& file, const Lines& lines) : file_(file), lines_(lines) {}

  ConfigFile walk(const Json& document) {
    section(document, key_tree(), {});
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

  int line(const Place& place) const {
    const auto found = lines_.find(place.pointer);
    return found == lines_.end() ? static_cast<int>(!lines_.empty()) : found->second;
  }
  std::string from(const Place& place) const {
    return lines_.empty() ? file_ : fmt::format("{}:{}", file_, line(place));
  }
  void problem(const Place& place, std::string what, bool unknown_key = false) {
    out_.problems.push_back({from(place), place.key, std::move(what), line(place), unknown_key});
  }

  static std::string names_in(const KeyTree& tree) {
    std::vector<std::string_view> names;
    for (const KeyTree& child : tree.children) names.push_back(child.name);
    return fmt::format("{}", fmt::join(names, ", "));
  }

  void section(const Json& value, const KeyTree& tree, const Place& place) {
    if (value.is_null()) return;  // all that it could hold is commented out
    if (!value.is_object())
      return problem(place, fmt::format("expected a mapping of {}, got {}", names_in(tree),
                                        base::printable(text::dump_json(value))));
    for (const auto& [part, member] : value.items()) {
      const Place below = place.child(part);
      if (place.key.empty() && part == "$schema") continue;  // for editors
      if (const KeyTree* child = tree.child(part))
        value_of(member, *child, below, part, tree);
      else
        problem(below, fmt::format("unknown key; expected {}", names_in(tree)), true);
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
    if (tree.setting == nullptr) return section(value, tree, place);
    if (auto wrong = tree.setting->set(scratch_, place.name, value); !wrong.empty())
      return problem(place, std::move(wrong));
    out_.given.push_back({tree.setting, place.name, value, from(place)});
  }

  const std::string& file_;
  const Lines& lines_;
  ServeOptions scratch_;
  ConfigFile out_;
};

ConfigFile unusable(const std::string& file, std::string what) {
  ConfigFile out;
  out.problems.push_back({file, "", std::move(what)});
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

ConfigFile settings_in(const Json& document, const std::string& file, const Lines& lines) {
  return Walker(file, lines).walk(document);
}

ConfigFile parse_config(const std::string& text, const std::string& file) {
  const auto fault = text::json_fault(text);
  text::JsonBuilder builder;
  if (fault || !Json::sax_parse(text, &builder))
    return unusable(
        file, fmt::format("not JSON ({}); to convert YAML: kubectl tpu config print "
                          "--config FILE --output json",
                          fault ? fault->text() : fmt::format("byte {}", builder.position())));
  const auto repeated = builder.repeated();
  ConfigFile out = settings_in(builder.take(), file);
  if (repeated) out.problems.push_back({file, repeated->path(), repeated->message()});
  return out;
}

ConfigFile read_config(std::istream& in, const std::string& name, ParseConfig* parse) {
  std::string text(limits::config_bytes + 1, '\0');
  errno = 0;
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (in.bad() || errno == EISDIR) return unusable(name, std::strerror(errno));
  text.resize(static_cast<std::size_t>(in.gcount()));
  if (text.size() > limits::config_bytes)
    return unusable(name, fmt::format("is larger than {} bytes, the most a ConfigMap holds",
                                      limits::config_bytes));
  return parse(text, name);
}

ConfigFile read_config(const std::string& file, ParseConfig* parse) {
  std::ifstream in(file, std::ios::binary);
  return in ? read_config(in, file, parse) : unusable(file, std::strerror(errno));
}

}  // namespace tpuwh::server::settings
