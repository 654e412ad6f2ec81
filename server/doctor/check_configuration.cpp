#include "server/doctor/check.hpp"
#include "server/doctor/commands.hpp"
#include "server/doctor/entries.hpp"
#include "server/doctor/settings_of.hpp"
#include "server/limits/limits.hpp"
#include "server/text/json_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

namespace tpuwh::server::doctor {

namespace {

// How the entries become what the chart says. Helm 4 leaves what somebody else has written.
std::string as_the_chart_says(const View& view) {
  return with_note(put_back(view),
                   "where kubectl has edited it, Helm 4 needs --force-conflicts, too");
}

// The namespaces that a selector leaves out by name.
std::vector<std::string> excluded(const Json& entry) {
  std::vector<std::string> out;
  const Json& selector = text::member(entry, "namespaceSelector");
  for (const Json& each : text::member(selector, "matchExpressions"))
    if (text::text_member(each, "key") == "kubernetes.io/metadata.name" &&
        text::text_member(each, "operator") == "NotIn")
      for (const Json& value : text::member(each, "values"))
        if (value.is_string()) out.push_back(value.get<std::string>());
  return out;
}

// What differs from what the chart writes, and is not a choice of whoever installed it.
std::vector<std::string> deviations(const Json& entry) {
  std::vector<std::string> out;
  const auto want = [&](const char* key, const std::string& found, const std::string& wanted) {
    if (found != wanted) out.push_back(fmt::format("{} is \"{}\", want {}", key, found, wanted));
  };
  want("reinvocationPolicy", text::text_member(entry, "reinvocationPolicy"), "IfNeeded");
  want("sideEffects", text::text_member(entry, "sideEffects"), "NoneOnDryRun");
  want("matchPolicy", text::text_member(entry, "matchPolicy"), "Equivalent");
  if (!text::member(text::member(entry, "clientConfig"), "service").is_null() && !is_shadow(entry))
    want("path", path_of(entry), "/mutate");
  if (!sees_new_pods(entry)) out.push_back("rules do not match CREATE of pods");
  const Json& conditions = text::member(entry, "matchConditions");
  if (!conditions.is_array() || conditions.empty())
    out.push_back("matchConditions are missing, so every Pod of the cluster is sent");
  return out;
}

void check_entries(const View& view, const Json& entries, Checks& out) {
  constexpr auto check = "configuration";
  bool good = true;
  for (const Json& entry : entries) {
    const auto found = deviations(entry);
    if (found.empty()) continue;
    good = false;
    warn(out, check, fmt::format("{}: {}", name_of(entry), fmt::join(found, "; ")),
         as_the_chart_says(view));
  }
  if (good)
    ok(out, check,
       fmt::format("the MutatingWebhookConfiguration tpu-webhook is as the chart writes it: {}",
                   entries.size() == 1 ? "1 entry" : fmt::format("{} entries", entries.size())));
}

// ---- failurePolicy and timeout

// Whether the ledger may be asked about Pods of an entry: those of Ray have their own, or are among
// all others.
bool asks_ledger(const View& view, const Json& entry) {
  const std::string workload = workload_of(entry);
  if (workload != "pod") return workload == "ray";
  const auto all = handled(view);
  const auto of_ray = [](const Json& each) { return workload_of(each) == "ray"; };
  return std::ranges::find(all, "ray") != all.end() &&
         std::ranges::none_of(entries_of(view.configuration.object), of_ray);
}

// The ledger may take limits::api::ledger_wait; an API server that gives up sooner throws its
// answer away.
void check_timeout(const View& view, const Json& entry, Checks& out) {
  const Json seconds = text::member(entry, "timeoutSeconds");
  const auto found = seconds.is_number_integer() ? seconds.get<long>() : 10;
  const auto least = limits::api::ledger_wait / std::chrono::seconds(1);
  if (!asks_ledger(view, entry) || found > least) return;
  warn(out, "failure-policy",
       fmt::format("{}: timeoutSeconds is {}; the ledger may need {} s to answer", name_of(entry),
                   found, least),
       with_values(view, {"--set timeoutSeconds=10"}));
}

// An entry of Pods that are changed, or may be: their mode is not known.
void check_enforced(const View& view, const Json& entry, std::optional<bool> shadow, Checks& out) {
  if (!ignores_failures(entry)) return check_timeout(view, entry, out);
  if (shadow)
    warn(out, "failure-policy",
         fmt::format("{}: failurePolicy is Ignore: while the webhook is unreachable, Pods of "
                     "multi-host slices are created unchanged and hold their chips without "
                     "forming a slice",
                     name_of(entry)),
         with_values(view, {"--set failurePolicy=Fail"}));
}

// An entry of Pods that are never changed.
void check_watched(const View& view, const Json& entry, Checks& out) {
  if (ignores_failures(entry)) return;
  warn(out, "failure-policy",
       fmt::format("{}: failurePolicy is Fail, but its Pods are not changed: while the webhook is "
                   "unreachable they are refused for nothing",
                   name_of(entry)),
       as_the_chart_says(view));
}

void check_policies(const View& view, const Json& entries, Checks& out) {
  constexpr auto check = "failure-policy";
  const std::size_t before = out.size();
  std::vector<std::string> ignoring;
  for (const Json& entry : entries) {
    const auto shadow = in_shadow(view, workload_of(entry));
    if (is_shadow(entry) || is_of_claims(entry) || shadow.value_or(false))
      check_watched(view, entry, out);
    else
      check_enforced(view, entry, shadow, out);
    if (ignores_failures(entry)) ignoring.push_back(name_of(entry));
  }
  if (out.size() > before) return;
  const auto refusing = doctor::refusing(view);
  std::vector<std::string> said;
  if (!refusing.empty()) said.push_back(fmt::format("Fail: {}", fmt::join(refusing, ", ")));
  if (!ignoring.empty()) said.push_back(fmt::format("Ignore: {}", fmt::join(ignoring, ", ")));
  ok(out, check, fmt::format("{}", fmt::join(said, "; ")));
}

// ---- namespaces

// Who may label a namespace takes its Pods out: nobody changes or refuses them.
std::string in_shadow_mode(const View& view, const Json& entries) {
  const std::string label = watched_label(entries);
  if (label.empty()) return {};
  if (!view.watched.there())
    return fmt::format("; which are in shadow mode ({}) is not known: {}", label, view.watched.why);
  std::set<std::string> names;
  for (const Json& each : view.watched.items)
    names.insert(text::text_member(text::member(each, "metadata"), "name"));
  if (names.empty()) return {};
  return fmt::format("; in shadow mode ({}), so that nothing is changed there: {}", label,
                     fmt::join(names, ", "));
}

void check_namespaces(const View& view, const Json& entries, Checks& out) {
  constexpr auto check = "namespaces";
  const std::string fix =
      as_the_chart_says(view) + "; it excludes kube-system and the webhook's own";
  std::vector<std::string> own, system;
  std::set<std::string> left_out;
  for (const Json& entry : entries) {
    const auto names = excluded(entry);
    const auto has = [&](std::string_view ns) {
      return std::ranges::find(names, ns) != names.end();
    };
    if (!has(view.ns) && !ignores_failures(entry)) own.push_back(name_of(entry));
    if (!has("kube-system")) system.push_back(name_of(entry));
    left_out.insert(names.begin(), names.end());
  }
  if (!own.empty())
    fail(out, check,
         fmt::format("Pods of {} itself are sent to the webhook ({}): when none of its Pods runs, "
                     "none that the conditions match can be created there",
                     view.ns, fmt::join(own, ", ")),
         fix);
  else if (!system.empty())
    warn(out, check,
         fmt::format("Pods of kube-system are sent to the webhook ({}), but the cluster needs them "
                     "to start",
                     fmt::join(system, ", ")),
         fix);
  else
    ok(out, check,
       fmt::format("not sent to the webhook: {}{}", fmt::join(left_out, ", "),
                   in_shadow_mode(view, entries)));
}

}  // namespace

void check_configuration(const View& view, Checks& out) {
  constexpr auto check = "configuration";
  if (view.configuration.found == Found::unknown)
    return unknown(out, check, view.configuration.why);
  const Json entries = entries_of(view.configuration.object);
  if (std::ranges::all_of(entries, is_shadow))
    return fail(out, check,
                view.configuration.there()
                    ? "the MutatingWebhookConfiguration tpu-webhook has only entries of shadow "
                      "namespaces"
                    : "there is no MutatingWebhookConfiguration tpu-webhook: no Pod is sent to it",
                our_release(view) ? put_back(view) : install(view));
  check_entries(view, entries, out);
  check_policies(view, entries, out);
  check_namespaces(view, entries, out);
}

void check_validation(const View& view, Checks& out) {
  constexpr auto check = "validation";
  if (view.validating.found == Found::unknown) return unknown(out, check, view.validating.why);
  if (!view.validating.there())
    return ok(out, check, "workload objects are not checked when they are created (validation)");
  std::set<std::string> bundles;
  for (const Json& entry : entries_of(view.configuration.object)) bundles.insert(bundle_of(entry));
  std::vector<std::string> other;
  for (const Json& entry : entries_of(view.validating.object))
    if (!bundles.contains(bundle_of(entry))) other.push_back(name_of(entry));
  if (view.configuration.there() && !other.empty())
    return warn(
        out, check,
        fmt::format("entries of the ValidatingWebhookConfiguration tpu-webhook have another "
                    "caBundle than the mutating ones ({}): they cannot be called, and "
                    "objects that can never start are admitted",
                    fmt::join(other, ", ")),
        as_the_chart_says(view));
  ok(out, check, "workload objects are checked when they are created");
}

}  // namespace tpuwh::server::doctor
