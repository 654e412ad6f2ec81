#include "server/tools/inspect/doctor/wanted.hpp"

#include "server/rules/entries.hpp"
#include "server/text/json_text.hpp"
#include "server/tools/inspect/doctor/difference.hpp"
#include "server/tools/inspect/doctor/entries.hpp"
#include "server/tools/inspect/doctor/selectors.hpp"
#include "server/tools/inspect/doctor/settings_of.hpp"
#include "server/tools/inspect/running/installation.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tpuwh::server::doctor {

namespace {

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

Json selector(const rules::Entry& entry, bool handled) {
  Json all = Json::array();
  if (!handled) {
    all = {requirement(left_out_label, "Exists"), requirement(left_out_label, "DoesNotExist")};
  } else if (!entry.label_key.empty() && entry.label_value.empty()) {
    all.push_back(requirement(entry.label_key, "Exists"));
  } else if (!entry.label_key.empty()) {
    all.push_back(requirement(entry.label_key, "In"));
    all.back()["values"] = Json::array({entry.label_value});
  }
  return all.empty() ? Json::object() : Json{{"matchExpressions", all}};
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
  return Json::array(
      {condition("new-or-changed",
                 "request.operation == 'CREATE' || object.spec != oldObject.spec"),
       condition("not-being-deleted", "!has(object.metadata.deletionTimestamp)"),
       condition("no-common-kind-without-tpu",
                 fmt::format("!(request.kind.kind in ['Job', 'CronJob', 'Deployment', "
                             "'StatefulSet']) || (request.kind.kind == 'CronJob' ? {} : {})",
                             concerns_us(is, "object.spec.jobTemplate.spec.template.spec"),
                             concerns_us(is, "object.spec.template.spec")))});
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

// Whether a configuration has this entry, and no Pod can reach it.
bool is_left_out(const Json& configuration, const std::string& name) {
  for (const Json& each : text::member(configuration, "webhooks"))
    if (name_of(each) == name) return meets_nobody(text::member(each, "objectSelector"));
  return false;
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
  const auto names = handled(view);
  std::vector<std::string> out;
  for (const rules::Entry& entry : rules::entries(usual_prefix)) {
    if (entry.workload.empty()) continue;
    const bool is_out = settings_known(view)
                            ? std::ranges::find(names, entry.workload) == names.end()
                            : is_left_out(view.configuration.object, entry.name);
    if (is_out) out.push_back(entry.workload);
  }
  return out;
}

Json wanted_entries(const View& view, bool with_shadow) {
  const std::string prefix = annotation_prefix(view);
  const rules::Conditions is = rules::conditions(prefix);
  const auto out_of_it = left_out(view);
  const auto is_out = [&](const std::string& workload) {
    return std::ranges::find(out_of_it, workload) != out_of_it.end();
  };
  const auto all = rules::entries(prefix);
  std::string not_left_out;
  for (const rules::Entry& each : all)
    if (is_out(each.workload)) not_left_out += fmt::format(" &&\n!{}", each.of_workload);
  Json out = Json::array();
  for (const rules::Entry& each : all) {
    const bool claims = each.workload.empty();
    out.push_back(entry_for_pods(view, each.name, "/mutate", selector(each, !is_out(each.workload)),
                                 claims ? "resource-claims" : each.workload,
                                 claims ? each.expression + not_left_out : each.expression));
  }
  if (with_shadow)
    out.push_back(entry_for_pods(view, "shadow.pods.tpu-webhook.dev", "/shadow", Json::object(),
                                 "tpu-resource-claim-or-annotation",
                                 fmt::format("({} ||\n {} ||\n {}){}", is.asks_for_tpu,
                                             is.has_claims, is.annotated, not_left_out)));
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
