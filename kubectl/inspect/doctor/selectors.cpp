#include "kubectl/inspect/doctor/selectors.hpp"

#include "server/text/json_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
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

// What a label may still be: not there, one of some values, or any but some.
class Possible {
 public:
  void require(const Requirement& one) {
    if (one.op == "DoesNotExist") present_ = false;
    if (one.op == "Exists" || one.op == "In") absent_ = false;
    if (one.op == "NotIn") not_in_.insert(one.values.begin(), one.values.end());
    if (one.op != "In") return;
    if (in_)
      std::erase_if(*in_, [&](const auto& value) { return !one.values.contains(value); });
    else
      in_ = one.values;
  }

  bool is_nothing() const {
    if (absent_) return false;
    const bool any = !in_ || std::ranges::any_of(
                                 *in_, [&](const auto& value) { return !not_in_.contains(value); });
    return !present_ || !any;
  }

 private:
  bool absent_ = true, present_ = true;
  std::optional<std::set<std::string>> in_;
  std::set<std::string> not_in_;
};

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
  std::map<std::string, Possible> by_key;
  for (const Requirement& each : all_of(selector)) by_key[each.key].require(each);
  return std::ranges::any_of(by_key, [](const auto& each) { return each.second.is_nothing(); });
}

}  // namespace tpuwh::server::doctor
