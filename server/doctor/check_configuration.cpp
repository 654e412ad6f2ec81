#include "server/doctor/check.hpp"
#include "server/limits/limits.hpp"
#include "server/text/json_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace tpuwh::server::doctor {

namespace {

constexpr auto upgrade = "helm upgrade with the chart's values";

// The chart's second entry, of namespaces that are only watched (docs/decisions/0019).
bool is_shadow(const Json& webhook) {
  const auto path =
      text::text_member(text::member(text::member(webhook, "clientConfig"), "service"), "path");
  return path.starts_with("/shadow");
}

const Json* enforcing(const Json& configuration) {
  const auto webhooks = configuration.find("webhooks");
  if (webhooks == configuration.end()) return nullptr;
  for (const Json& each : *webhooks)
    if (!is_shadow(each)) return &each;
  return nullptr;
}

Json first_bundle(const Json& configuration) {
  const Json webhooks = text::member(configuration, "webhooks");
  if (!webhooks.is_array() || webhooks.empty()) return nullptr;
  return text::member(text::member(webhooks.front(), "clientConfig"), "caBundle");
}

// The namespaces that a selector leaves out by name.
std::vector<std::string> excluded(const Json& webhook) {
  std::vector<std::string> out;
  const Json selector = text::member(webhook, "namespaceSelector");
  for (const Json& each : text::member(selector, "matchExpressions"))
    if (text::text_member(each, "key") == "kubernetes.io/metadata.name" &&
        text::text_member(each, "operator") == "NotIn")
      for (const Json& value : text::member(each, "values"))
        if (value.is_string()) out.push_back(value.get<std::string>());
  return out;
}

// What differs from what the chart writes, and is not a choice of whoever installed it.
std::vector<std::string> deviations(const Json& webhook) {
  std::vector<std::string> out;
  const auto want = [&](const char* key, const std::string& wanted) {
    const std::string found = text::text_member(webhook, key);
    if (found != wanted) out.push_back(fmt::format("{} is \"{}\", want {}", key, found, wanted));
  };
  want("reinvocationPolicy", "IfNeeded");
  want("sideEffects", "NoneOnDryRun");
  want("matchPolicy", "Equivalent");
  if (!sees_new_pods(webhook)) out.push_back("rules do not match CREATE of pods");
  const Json conditions = text::member(webhook, "matchConditions");
  if (!conditions.is_array() || conditions.empty())
    out.push_back("matchConditions are missing, so every Pod of the cluster is sent");
  return out;
}

// The ledger may take limits::api::ledger_wait; an API server that gives up sooner throws its
// answer away.
void check_patience(const Json& webhook, bool only_shadow, Checks& out) {
  const Json seconds = text::member(webhook, "timeoutSeconds");
  const auto found = seconds.is_number_integer() ? seconds.get<long>() : 10;
  const auto least = limits::api::ledger_wait / std::chrono::seconds(1);
  const bool ignores = text::text_member(webhook, "failurePolicy") == "Ignore";
  if (only_shadow)
    return ok(out, "failure-policy",
              "--mode=shadow: no Pod waits long for an answer that changes nothing");
  if (ignores)
    warn(out, "failure-policy",
         "failurePolicy is Ignore: while the webhook is unreachable, Pods of multi-host slices "
         "are created unchanged and hold their chips without forming a slice",
         "helm upgrade --set failurePolicy=Fail");
  else if (found <= least)
    warn(out, "failure-policy",
         fmt::format("timeoutSeconds is {}; the ledger may need {} s to answer", found, least),
         "helm upgrade --set timeoutSeconds=10");
  else
    ok(out, "failure-policy", fmt::format("Fail, after {} s", found));
}

void check_namespaces(const View& view, const Json& webhook, Checks& out) {
  constexpr auto check = "namespaces";
  const auto names = excluded(webhook);
  const auto has = [&](std::string_view ns) { return std::ranges::find(names, ns) != names.end(); };
  const std::string fix = fmt::format("{}: it excludes kube-system and {}", upgrade, view.ns);
  if (!has(view.ns))
    fail(out, check,
         fmt::format("Pods of {} itself are sent to the webhook: when none of its Pods runs, none "
                     "that the conditions match can be created there",
                     view.ns),
         fix);
  else if (!has("kube-system"))
    warn(out, check,
         "Pods of kube-system are sent to the webhook, but the cluster needs them to start", fix);
  else
    ok(out, check, fmt::format("not sent to the webhook: {}", fmt::join(names, ", ")));
}

}  // namespace

void check_configuration(const View& view, Checks& out) {
  constexpr auto check = "configuration";
  if (view.configuration.found == Found::unknown)
    return unknown(out, check, view.configuration.why);
  const Json* webhook = view.configuration.there() ? enforcing(view.configuration.object) : nullptr;
  if (webhook == nullptr)
    return fail(out, check,
                view.configuration.there()
                    ? "the MutatingWebhookConfiguration tpu-webhook has only shadow webhooks"
                    : "there is no MutatingWebhookConfiguration tpu-webhook: no Pod is sent to it",
                "helm install tpu-webhook charts/tpu-webhook -n tpu-webhook-system "
                "--create-namespace");
  const auto found = deviations(*webhook);
  if (found.empty())
    ok(out, check, "the MutatingWebhookConfiguration tpu-webhook is as the chart writes it");
  else
    warn(out, check, fmt::format("{}", fmt::join(found, "; ")), upgrade);
  const bool only_shadow = argument(view.deployment.object, "mode") == "shadow" &&
                           text::text_member(*webhook, "failurePolicy") == "Ignore";
  check_patience(*webhook, only_shadow, out);
  check_namespaces(view, *webhook, out);
}

void check_validation(const View& view, Checks& out) {
  constexpr auto check = "validation";
  if (view.validating.found == Found::unknown) return unknown(out, check, view.validating.why);
  if (!view.validating.there())
    return ok(out, check, "workload objects are not checked when they are created (validation)");
  const Json ours = first_bundle(view.configuration.object);
  if (view.configuration.there() && first_bundle(view.validating.object) != ours)
    return warn(out, check,
                "the ValidatingWebhookConfiguration tpu-webhook has another caBundle than the "
                "mutating one: it cannot be called, and objects that can never start are admitted",
                upgrade);
  ok(out, check, "workload objects are checked when they are created");
}

}  // namespace tpuwh::server::doctor
