#include "kubectl/predict/trial/scopes.hpp"

#include "kubectl/objects/json_path.hpp"
#include "kubectl/objects/quantity.hpp"
#include "server/text/json_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

namespace tpuwh::server::trial {

namespace {

using objects::at;

struct Scope {
  std::string name, how = "Exists";
  std::vector<std::string> values = {};
};

std::vector<std::string> texts(const Json& list) {
  std::vector<std::string> out;
  for (const Json& each : list)
    if (each.is_string()) out.push_back(each.get<std::string>());
  return out;
}

std::vector<Scope> scopes_of(const Json& quota) {
  std::vector<Scope> out;
  for (std::string& name : texts(at(quota, {"spec", "scopes"}))) out.push_back({std::move(name)});
  for (const Json& each : at(quota, {"spec", "scopeSelector", "matchExpressions"}))
    out.push_back({text::text_member(each, "scopeName"), text::text_member(each, "operator"),
                   texts(text::member(each, "values"))});
  return out;
}

bool asks_for_cpu_or_memory(const Json& resources) {
  for (const char* list : {"requests", "limits"})
    for (const char* name : {"cpu", "memory"}) {
      const auto amount =
          objects::quantity_of(text::find_member(text::member(resources, list), name));
      if (amount && amount->value > 0) return true;
    }
  return false;
}

bool is_best_effort(const Json& pod) {
  if (asks_for_cpu_or_memory(at(pod, {"spec", "resources"}))) return false;
  for (const char* list : {"containers", "initContainers"})
    for (const Json& each : at(pod, {"spec", list}))
      if (asks_for_cpu_or_memory(text::member(each, "resources"))) return false;
  return true;
}

bool has_priority_class(const Scope& scope, const Json& pod) {
  const std::string name = text::text_member(at(pod, {"spec"}), "priorityClassName");
  const bool named = !name.empty() && std::ranges::find(scope.values, name) != scope.values.end();
  if (scope.how == "In") return named;
  if (scope.how == "NotIn") return !named;
  return (scope.how == "Exists") == !name.empty();
}

std::optional<bool> is_of(const Scope& scope, const Json& pod) {
  const bool ends = at(pod, {"spec", "activeDeadlineSeconds"}).is_number();
  if (scope.name == "Terminating") return ends;
  if (scope.name == "NotTerminating") return !ends;
  if (scope.name == "BestEffort") return is_best_effort(pod);
  if (scope.name == "NotBestEffort") return !is_best_effort(pod);
  if (scope.name == "PriorityClass") return has_priority_class(scope, pod);
  return std::nullopt;
}

}  // namespace

bool has_scopes(const Json& quota) {
  return !scopes_of(quota).empty();
}

std::optional<bool> counts_pod(const Json& quota, const Json& pod) {
  bool all = true;
  for (const Scope& each : scopes_of(quota)) {
    const auto is = is_of(each, pod);
    if (!is) return std::nullopt;
    all = all && *is;
  }
  return all;
}

std::string scope_words(const Json& quota) {
  std::vector<std::string> out;
  for (const Scope& each : scopes_of(quota))
    out.push_back(each.values.empty() && each.how == "Exists"
                      ? each.name
                      : fmt::format("{} {}{}{}", each.name, each.how,
                                    each.values.empty() ? "" : " ", fmt::join(each.values, ", ")));
  return fmt::format("{}", fmt::join(out, " and "));
}

}  // namespace tpuwh::server::trial
