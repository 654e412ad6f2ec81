#include "kubectl/predict/wrappers/rules_file.hpp"

#include "base/names.hpp"
#include "kubectl/objects/api_version.hpp"
#include "kubectl/predict/expand/expand.hpp"
#include "kubectl/text/near_miss.hpp"
#include "kubectl/text/yaml.hpp"
#include "server/text/json_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <string_view>

namespace tpuwh::server::wrappers {

namespace {

// A value of the file, and where it is.
struct Value {
  const Json* value;
  Pointer pointer;

  Value child(const std::string& key) const { return {&text::member(*value, key), pointer / key}; }
  Value element(std::size_t index) const { return {&(*value)[index], pointer / index}; }
};

class Reader {
 public:
  Reader(const text::LocatedYaml& document, const std::string& file)
      : document_(document), file_(file) {}

  RulesFile run() {
    for (const text::YamlProblem& each : document_.problems)
      out_.problems.push_back(fmt::format("{}:{}: {}", file_, each.line, each.what));
    if (!out_.problems.empty()) return std::move(out_);
    const Value root{&document_.value, Pointer()};
    if (!is_map(root, {"wrappers"})) return std::move(out_);
    for_each(root, "wrappers", most_rules, [&](const Value& rule) { add_rule(rule); });
    return std::move(out_);
  }

 private:
  void problem(const Value& at, std::string_view what) {
    Pointer known = at.pointer;
    const auto line = [&] { return document_.lines.find(known.to_string()); };
    while (line() == document_.lines.end() && !known.empty()) known.pop_back();
    const int number = line() == document_.lines.end() ? 1 : line()->second;
    const std::string path = base::printable(spoken(at.pointer), 200);
    out_.problems.push_back(
        fmt::format("{}:{}: {}{}{}", file_, number, path, path.empty() ? "" : ": ", what));
  }

  bool is_map(const Value& at, const std::vector<std::string>& keys) {
    if (!at.value->is_object()) {
      problem(at, fmt::format("expected a mapping of {}", fmt::join(keys, ", ")));
      return false;
    }
    for (const auto& [key, value] : at.value->items())
      if (std::ranges::find(keys, key) == keys.end() && key != "$schema")
        problem({&value, at.pointer / key},
                "unknown key" + text::did_you_mean(text::closest(key, keys)));
    return true;
  }

  // Of a list that has at least one element.
  template <class F>
  void for_each(const Value& at, const char* key, std::size_t most, F&& visit) {
    const Value list = at.child(key);
    if (!list.value->is_array() || list.value->empty()) return problem(list, "expected a list");
    if (list.value->size() > most)
      return problem(list,
                     fmt::format("expected at most {} elements, got {}", most, list.value->size()));
    for (std::size_t i = 0; i < list.value->size(); ++i) visit(list.element(i));
  }

  std::optional<std::string> text_of(const Value& at, const char* what) {
    if (at.value->is_string() && !at.value->get_ref<const std::string&>().empty())
      return at.value->get<std::string>();
    problem(at, at.value->is_null() ? fmt::format("is missing; expected {}", what)
                                    : fmt::format("expected {}", what));
    return std::nullopt;
  }

  std::optional<Path> path_of(const Value& at) {
    const auto text = text_of(at, "a path such as spec.items[*].template");
    if (!text) return std::nullopt;
    auto path = Path::parse(*text);
    if (path) return *std::move(path);
    problem(at, path.error().message());
    return std::nullopt;
  }

  void add_rule(const Value& rule) {
    if (!is_map(rule, {"apiVersion", "kind", "children", "pods"})) return;
    Wrapper out;
    const auto version = text_of(rule.child("apiVersion"), "a group and a version: example.com/v1");
    const auto kind = text_of(rule.child("kind"), "a kind");
    if (version) out.group = objects::split_api_version(*version).group;
    if (kind) out.kind = *kind;
    const bool holds = rule.value->contains("children"), makes = rule.value->contains("pods");
    if (holds == makes)
      return problem(rule, "expected either children (whole objects) or pods (Pod templates)");
    if (holds)
      for_each(rule, "children", most_paths, [&](const Value& at) {
        if (auto path = path_of(at)) out.children.push_back(*std::move(path));
      });
    else
      for_each(rule, "pods", most_paths, [&](const Value& at) { add_pods(at, out); });
    if (!version || !kind) return;
    if (expand::makes_pods({{"apiVersion", *version}, {"kind", *kind}}))
      return problem(rule.child("kind"), fmt::format("{} is read without a rule", *kind));
    const bool twice = std::ranges::any_of(out_.wrappers, [&](const Wrapper& each) {
      return each.kind == out.kind && each.group == out.group;
    });
    if (twice) return problem(rule.child("kind"), fmt::format("{} has a rule above", *kind));
    out_.wrappers.push_back(std::move(out));
  }

  void add_pods(const Value& at, Wrapper& rule) {
    if (!is_map(at, {"template", "count", "as"})) return;
    auto pod_template = path_of(at.child("template"));
    auto count = count_of(at.child("count"));
    const auto as_job = job_of(at.child("as"));
    if (!pod_template || !count || !as_job) return;
    if (const auto* path = std::get_if<Path>(&*count);
        path != nullptr && path->wildcards() > pod_template->wildcards())
      return problem(at.child("count"), "expected no more [*] than template has");
    rule.pods.push_back({*std::move(pod_template), *std::move(count), *as_job});
  }

  std::optional<std::variant<std::uint64_t, Path>> count_of(const Value& at) {
    if (at.value->is_null()) return std::uint64_t{1};
    if (at.value->is_number_unsigned() &&
        at.value->get<std::uint64_t>() <= std::numeric_limits<std::int32_t>::max())
      return at.value->get<std::uint64_t>();
    if (!at.value->is_string()) {
      problem(at, "expected a number of Pods or a path");
      return std::nullopt;
    }
    auto path = path_of(at);
    if (!path) return std::nullopt;
    return *std::move(path);
  }

  std::optional<bool> job_of(const Value& at) {
    if (at.value->is_null() || *at.value == "Pod") return false;
    if (*at.value == "Job") return true;
    problem(at, "expected Pod or Job");
    return std::nullopt;
  }

  const text::LocatedYaml& document_;
  const std::string& file_;
  RulesFile out_;
};

}  // namespace

RulesFile read_rules(const std::string& text, const std::string& file) {
  const text::LocatedYaml document = text::parse_located_yaml(text);
  return Reader(document, file).run();
}

}  // namespace tpuwh::server::wrappers
