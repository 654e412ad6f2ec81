#include "server/doctor/selectors.hpp"

#include "server/text/json_text.hpp"
#include "server/text/label_selector.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <vector>

namespace tpuwh::server::doctor {

namespace {

struct Requirement {
  std::string key, op;
  std::set<std::string> values;
};

// matchLabels are requirements as well.
std::vector<Requirement> all_of(const Json& selector) {
  std::vector<Requirement> out;
  const Json& labels = text::member(selector, "matchLabels");
  if (labels.is_object())
    for (const auto& [key, value] : labels.items())
      if (value.is_string()) out.push_back({key, "In", {value.get<std::string>()}});
  for (const Json& each : text::member(selector, "matchExpressions")) {
    Requirement one{text::text_member(each, "key"), text::text_member(each, "operator"), {}};
    for (const Json& value : text::member(each, "values"))
      if (value.is_string()) one.values.insert(value.get<std::string>());
    out.push_back(std::move(one));
  }
  return out;
}

std::string text_of(const Requirement& one) {
  if (one.op == "Exists") return one.key;
  if (one.op == "DoesNotExist") return "no " + one.key;
  return fmt::format("{} {} ({})", one.key, one.op == "In" ? "in" : "not in",
                     fmt::join(one.values, ", "));
}

}  // namespace

std::set<std::string> requirements(const Json& selector) {
  std::set<std::string> out;
  for (const Requirement& each : all_of(selector)) out.insert(text_of(each));
  return out;
}

std::set<std::string> beyond(const Json& one, const Json& other) {
  const auto more = requirements(one), known = requirements(other);
  std::set<std::string> out;
  std::ranges::set_difference(more, known, std::inserter(out, out.end()));
  return out;
}

bool meets_nobody(const Json& selector) {
  // A label is not there, or has a value that is named, or any other: nothing else can matter.
  const auto all = all_of(selector);
  return std::ranges::any_of(all, [&](const Requirement& asked) {
    std::vector<Json> labels = {Json::object(), Json{{asked.key, "\n any other"}}};
    for (const Requirement& each : all)
      if (each.key == asked.key)
        for (const std::string& value : each.values) labels.push_back(Json{{asked.key, value}});
    Json of_key = {{"matchExpressions", Json::array()}};
    for (const Requirement& each : all)
      if (each.key == asked.key)
        of_key["matchExpressions"].push_back(
            {{"key", each.key}, {"operator", each.op}, {"values", each.values}});
    return std::ranges::none_of(labels,
                                [&](const Json& each) { return text::finds(of_key, each); });
  });
}

}  // namespace tpuwh::server::doctor
