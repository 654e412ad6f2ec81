#include "kubectl/team_rules/rules_file.hpp"

#include "base/names.hpp"
#include "kubectl/text/near_miss.hpp"
#include "kubectl/text/yaml.hpp"
#include "server/text/json_text.hpp"
#include "server/text/read_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <utility>

namespace tpuwh::server::team_rules {

namespace {

constexpr std::size_t most_rules = 100;

std::string expected(std::string_view wanted, const Json& found) {
  return fmt::format("expected {}, got {}", wanted, base::printable(text::dump_json(found)));
}

// A text that describes the fault of a value, or "" if the value is valid.
using Wrong = std::string;

Wrong text_of(const Json& value, std::string_view wanted, std::string& out) {
  if (!value.is_string() || value.get_ref<const std::string&>().empty())
    return expected(wanted, value);
  out = value.get<std::string>();
  const bool plain = std::ranges::all_of(out, [](char c) { return c >= ' ' && c <= '~'; });
  return plain ? "" : expected(fmt::format("{} of printable ASCII", wanted), value);
}

Wrong texts_of(const Json& value, std::string_view wanted, std::vector<std::string>& out) {
  if (!value.is_array() || value.empty())
    return expected(fmt::format("a list of {}", wanted), value);
  for (const Json& each : value)
    if (Wrong wrong = text_of(each, wanted, out.emplace_back()); !wrong.empty()) return wrong;
  return {};
}

Wrong flag_of(const Json& value, bool& out) {
  if (!value.is_boolean()) return expected("true or false", value);
  out = value.get<bool>();
  return {};
}

Wrong number_of(const Json& value, std::optional<std::uint64_t>& out) {
  if (!value.is_number_unsigned() || value.get<std::uint64_t>() > 1'000'000'000)
    return expected("a whole number from 0 to 1000000000", value);
  out = value.get<std::uint64_t>();
  return {};
}

// Reads a list of names from `value`, and calls `take` with the C++ value of each name. `all` maps
// each valid name to its C++ value. Returns the fault of the list, or "" if it has none.
template <class Names, class Take>
Wrong names_of(const Json& value, const Names& all, Take&& take) {
  std::vector<std::string> names, known;
  for (const auto& [name, meaning] : all) known.emplace_back(name);
  const std::string wanted = fmt::format("names out of {}", fmt::join(known, ", "));
  if (Wrong wrong = texts_of(value, wanted, names); !wrong.empty()) return wrong;
  for (const std::string& name : names) {
    const auto found = std::ranges::find(known, name);
    if (found == known.end())
      return expected(wanted, name) + text::did_you_mean(text::closest(name, known));
    take(std::begin(all)[found - known.begin()].second);
  }
  return {};
}

Wrong capacities_of(const Json& value, std::vector<Capacity>& out) {
  return names_of(value, capacities, [&](Capacity each) { out.push_back(each); });
}

Wrong labels_of(const Json& value, std::vector<RequiredLabel>& out) {
  if (!value.is_object() || value.empty())
    return expected("a mapping of label keys to lists of patterns", value);
  for (const auto& [key, values] : value.items()) {
    if (!base::is_qualified_name(key)) return expected("a label key", key);
    RequiredLabel& label = out.emplace_back(key);
    if (Wrong wrong = texts_of(values, "patterns of values, * for any", label.values);
        !wrong.empty())
      return wrong;
  }
  return {};
}

Wrong forbidden_of(const Json& value, Hygiene& out) {
  static const std::pair<const char*, void (*)(Hygiene&)> all[] = {
      {"privileged", [](Hygiene& h) { h.privileged = false; }},
      {"hostPath", [](Hygiene& h) { h.host_paths = false; }},
      {"hostNetwork", [](Hygiene& h) { h.host_network = false; }},
      {"defaultServiceAccount", [](Hygiene& h) { h.default_account = false; }},
      {"latest", [](Hygiene& h) { h.tags = true; }},
      {"tags", [](Hygiene& h) { h.digests = true; }},
  };
  return names_of(value, all, [&](void (*set)(Hygiene&)) { set(out); });
}

template <class T>
struct Member {
  const char* key;
  Wrong (*read)(const Json& value, T& out);
};

constexpr auto a_pattern = "a pattern, * for any text";

const Member<Rule> rule_members[] = {
    {"name", [](const Json& v, Rule& r) { return text_of(v, "a name", r.name); }},
    {"namespaces",
     [](const Json& v, Rule& r) { return texts_of(v, "patterns of namespaces", r.namespaces); }},
    {"accelerators",
     [](const Json& v, Rule& r) {
       return texts_of(v, "patterns of cloud.google.com/gke-tpu-accelerator", r.accelerators);
     }},
    {"topologies",
     [](const Json& v, Rule& r) {
       return texts_of(v, "patterns of cloud.google.com/gke-tpu-topology", r.topologies);
     }},
    {"capacity", [](const Json& v, Rule& r) { return capacities_of(v, r.capacities); }},
    {"maxSliceChips", [](const Json& v, Rule& r) { return number_of(v, r.slice_chips); }},
    {"maxSlices", [](const Json& v, Rule& r) { return number_of(v, r.slices); }},
    {"maxChips", [](const Json& v, Rule& r) { return number_of(v, r.chips); }},
    {"names", [](const Json& v, Rule& r) { return text_of(v, a_pattern, r.object_names); }},
    {"resumable", [](const Json& v, Rule& r) { return flag_of(v, r.resumable); }},
    {"maxRunSeconds", [](const Json& v, Rule& r) { return number_of(v, r.run_seconds); }},
    {"labels", [](const Json& v, Rule& r) { return labels_of(v, r.hygiene.labels); }},
    {"queue", [](const Json& v, Rule& r) { return flag_of(v, r.hygiene.queue); }},
    {"images",
     [](const Json& v, Rule& r) { return texts_of(v, "patterns of images", r.hygiene.images); }},
    {"forbid", [](const Json& v, Rule& r) { return forbidden_of(v, r.hygiene); }},
    {"secretVariables",
     [](const Json& v, Rule& r) {
       return texts_of(v, "patterns of variables", r.hygiene.secret_variables);
     }},
};

const Member<Rules> file_members[] = {
    {"contact", [](const Json& v, Rules& r) { return text_of(v, "whom to ask", r.contact); }},
    {"otherNamespaces",
     [](const Json& v, Rules& r) {
       if (v != "allow" && v != "deny") return expected("allow or deny", v);
       r.others_may_ask = v == "allow";
       return Wrong();
     }},
    {"rules", nullptr},
};

class Reader {
 public:
  Reader(const text::LocatedYaml& document, const std::string& file)
      : document_(document), file_(file) {}

  RulesFile read() {
    const Json& value = document_.value;
    for (const text::YamlProblem& each : document_.problems)
      problems_.emplace(each.line, each.what);
    if (problems_.empty() || !value.is_null()) members<Rules>(file_members, value, "", out_.rules);
    if (value.is_object()) rules_of(value);
    for (const auto& [line, what] : problems_)
      out_.problems.push_back(fmt::format("{}:{}: {}", file_, line, what));
    return std::move(out_);
  }

 private:
  void problem(const std::string& pointer, std::string what) {
    std::string key = pointer.empty() ? "" : pointer.substr(1);
    std::ranges::replace(key, '/', '.');
    if (!key.empty()) what = fmt::format("{}: {}", base::printable(key), what);
    problems_.emplace(document_.line(pointer), std::move(what));
  }

  template <class T>
  void members(std::span<const Member<T>> known, const Json& value, const std::string& at, T& out) {
    std::vector<std::string> keys;
    for (const Member<T>& each : known) keys.emplace_back(each.key);
    if (!value.is_object())
      return problem(at, expected(fmt::format("a mapping of {}", fmt::join(keys, ", ")), value));
    for (const auto& [key, member] : value.items()) {
      const std::string below = (Json::json_pointer(at) / key).to_string();
      const auto found = std::ranges::find(known, std::string_view(key),
                                           [](const auto& each) { return each.key; });
      if (found == known.end())
        problem(below, "unknown key" + text::did_you_mean(text::closest(key, keys)));
      else if (found->read != nullptr)
        if (Wrong wrong = found->read(member, out); !wrong.empty()) problem(below, wrong);
    }
  }

  void rules_of(const Json& value) {
    const auto list = value.find("rules");
    if (list == value.end() || !list->is_array() || list->empty())
      return problem(list == value.end() ? "" : "/rules", "expected a list of rules under rules");
    if (list->size() > most_rules)
      return problem("/rules",
                     fmt::format("has {} rules, expected at most {}", list->size(), most_rules));
    std::set<std::string> names;
    for (std::size_t i = 0; i < list->size(); ++i) {
      const std::string at = fmt::format("/rules/{}", i);
      Rule& rule = out_.rules.list.emplace_back();
      members<Rule>(rule_members, (*list)[i], at, rule);
      for (const char* needed : {"name", "namespaces"})
        if ((*list)[i].is_object() && !(*list)[i].contains(needed))
          problem(at, fmt::format("{} is missing", needed));
      if (!rule.name.empty() && !names.insert(rule.name).second)
        problem(at + "/name",
                fmt::format("{} is the name of an earlier rule", base::printable(rule.name)));
    }
  }

  const text::LocatedYaml& document_;
  const std::string& file_;
  std::multimap<int, std::string> problems_;  // the key is the line
  RulesFile out_;
};

}  // namespace

RulesFile parse_rules(const std::string& text, const std::string& file) {
  const text::LocatedYaml document = text::parse_located_yaml(text);
  return Reader(document, file).read();
}

RulesFile read_rules(const std::string& file) {
  const auto text = text::read_file(file, text::max_small_bytes);
  if (!text) return {{}, {fmt::format("{}: {}", file, text.error().text())}};
  return parse_rules(*text, file);
}

}  // namespace tpuwh::server::team_rules
