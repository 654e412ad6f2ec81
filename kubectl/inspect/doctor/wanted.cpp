#include "kubectl/inspect/doctor/wanted.hpp"

#include "kubectl/inspect/doctor/difference.hpp"
#include "kubectl/inspect/doctor/layout.hpp"
#include "kubectl/inspect/doctor/settings_of.hpp"
#include "kubectl/inspect/running/installation.hpp"
#include "kubectl/reference/rules/entries.hpp"
#include "server/text/json_text.hpp"
#include "webhook/workloads/table.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tpuwh::server::doctor {

namespace {

using webhook::config::Config;
using webhook::workloads::Workload;

constexpr auto usual_prefix = "tpu-webhook.dev/";
// charts/tpu-webhook/templates/_webhook.tpl
constexpr auto left_out_label = "tpu-webhook.dev/left-out";

Json client(const View& view, const char* path) {
  return {
      {"service",
       {{"name", running::installed_name}, {"namespace", view.ns}, {"path", path}, {"port", 443}}}};
}

Json requirement(const std::string& key, const char* op) {
  return {{"key", key}, {"operator", op}};
}

Json selector_of(const std::vector<std::string>& present, const std::vector<std::string>& absent) {
  Json all = Json::array();
  for (const std::string& key : present) all.push_back(requirement(key, "Exists"));
  for (const std::string& key : absent) all.push_back(requirement(key, "DoesNotExist"));
  return all.empty() ? Json::object() : Json{{"matchExpressions", all}};
}

Json of_nobody() {
  return selector_of({left_out_label}, {left_out_label});
}

Json entry_for_pods(const View& view, const std::string& name, const char* path,
                    const Json& selector, const std::string& condition,
                    const std::string& expression) {
  const Json rule = {{"apiGroups", {""}},
                     {"apiVersions", {"v1"}},
                     {"operations", {"CREATE"}},
                     {"resources", {"pods"}},
                     {"scope", "Namespaced"}};
  const Json one = {{"name", condition}, {"expression", expression}};
  return {{"name", name},
          {"clientConfig", client(view, path)},
          {"objectSelector", selector},
          {"rules", Json::array({rule})},
          {"matchPolicy", "Equivalent"},
          {"admissionReviewVersions", {"v1"}},
          {"sideEffects", "NoneOnDryRun"},
          {"reinvocationPolicy", "IfNeeded"},
          {"matchConditions", Json::array({one})}};
}

// The parts of a condition for the specification that stands somewhere else.
std::string at(std::string condition, const std::string& spec) {
  constexpr std::string_view before = "object.spec";
  for (std::size_t begin = 0; (begin = condition.find(before, begin)) != condition.npos;
       begin += spec.size())
    condition.replace(begin, before.size(), spec);
  return condition;
}

std::string concerns_us(const rules::Conditions& is, const std::string& spec) {
  return fmt::format("({} || {})", at(is.asks_for_tpu, spec), at(is.has_claims, spec));
}

Json validation_conditions(const rules::Conditions& is) {
  const auto condition = [](const char* name, const std::string& expression) {
    return Json{{"name", name}, {"expression", expression}};
  };
  constexpr auto changed = "request.operation == 'CREATE' || object.spec != oldObject.spec";
  const std::string of_tpus = fmt::format(
      "!(request.kind.kind in ['Job', 'CronJob', 'Deployment', "
      "'StatefulSet']) || (request.kind.kind == 'CronJob' ? {} : {})",
      concerns_us(is, "object.spec.jobTemplate.spec.template.spec"),
      concerns_us(is, "object.spec.template.spec"));
  return Json::array(
      {condition("new-or-changed-and-of-tpus", fmt::format("({}) && ({})", of_tpus, changed))});
}

Json validation_rules(const View& view) {
  const auto names = left_out(view);
  Json out = Json::array();
  for (const rules::Objects& each : rules::objects())
    if (std::ranges::find(names, each.workload) == names.end())
      out.push_back({{"apiGroups", Json::array({each.group})},
                     {"apiVersions", each.versions},
                     {"operations", {"CREATE", "UPDATE"}},
                     {"resources", each.resources},
                     {"scope", "Namespaced"}});
  return out;
}

// "x.dev/" of "key.startsWith('x.dev/')".
std::string prefix_of(const std::string& expression) {
  constexpr std::string_view before = "key.startsWith('";
  const std::size_t found = expression.find(before);
  if (found == expression.npos) return {};
  const std::size_t begin = found + before.size(), end = expression.find('\'', begin);
  return end == expression.npos ? std::string() : expression.substr(begin, end - begin);
}

}  // namespace

std::string annotation_prefix(const View& view) {
  const std::string said = setting(view, "annotationPrefix");
  if (!said.empty()) return said.ends_with('/') ? said : said + '/';
  if (settings_known(view)) return usual_prefix;
  for (const Json& entry : text::member(view.configuration.object, "webhooks"))
    for (const Json& each : text::member(entry, "matchConditions"))
      if (auto found = prefix_of(text::text_member(each, "expression")); !found.empty())
        return found;
  return usual_prefix;
}

std::vector<std::string> left_out(const View& view) {
  const Config config = layout_of(view);
  std::vector<std::string> out;
  for (const Workload& each : webhook::workloads::workloads())
    if (!config.workloads.has(each.kind)) out.emplace_back(each.name);
  return out;
}

Json wanted_entries(const View& view, bool with_shadow) {
  const Config config = layout_of(view);
  Json out = Json::array();
  for (const rules::Entry& each : rules::entries(config))
    out.push_back(entry_for_pods(view, each.name, "/mutate",
                                 each.mode ? selector_of(each.present, each.absent) : of_nobody(),
                                 each.condition, each.expression));
  if (with_shadow)
    out.push_back(entry_for_pods(view, "shadow.pods.tpu-webhook.dev", "/shadow", Json::object(),
                                 "tpu-resource-claim-or-annotation",
                                 rules::any_expression(config)));
  return out;
}

Json wanted_validations(const View& view, bool with_shadow) {
  const Json conditions = validation_conditions(rules::conditions(annotation_prefix(view)));
  const auto entry = [&](const char* name, const char* path) {
    return Json{{"name", name},
                {"clientConfig", client(view, path)},
                {"objectSelector", Json::object()},
                {"failurePolicy", "Ignore"},
                {"timeoutSeconds", 2},
                {"rules", validation_rules(view)},
                {"matchPolicy", "Equivalent"},
                {"admissionReviewVersions", {"v1"}},
                {"sideEffects", "None"},
                {"matchConditions", conditions}};
  };
  Json out = Json::array({entry("workloads.tpu-webhook.dev", "/validate")});
  if (with_shadow) out.push_back(entry("shadow.workloads.tpu-webhook.dev", "/shadow/validate"));
  return out;
}

const Json& entry_defaults() {
  static const Json defaults = {{"failurePolicy", "Fail"},
                                {"timeoutSeconds", 10},
                                {"matchPolicy", "Equivalent"},
                                {"objectSelector", Json::object()},
                                {"clientConfig", {{"service", {{"port", 443}}}}},
                                {"rules", Json::array({{{"scope", "*"}}})}};
  return defaults;
}

Json comparable(Json entry, bool keep_policy) {
  entry = filled(std::move(entry), entry_defaults());
  if (!entry.is_object()) return entry;
  if (entry.contains("clientConfig") && entry["clientConfig"].is_object())
    entry["clientConfig"].erase("caBundle");
  entry.erase("namespaceSelector");
  if (!keep_policy) {
    entry.erase("failurePolicy");
    entry.erase("timeoutSeconds");
  }
  return entry;
}

Json client_of(const Json& entry) {
  const Json whole = comparable(entry, false);
  return text::member(whole, "clientConfig");
}

}  // namespace tpuwh::server::doctor
