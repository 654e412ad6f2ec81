#include "kubectl/inspect/doctor/entries.hpp"

#include "kubectl/inspect/doctor/selectors.hpp"
#include "kubectl/inspect/doctor/settings_of.hpp"
#include "server/text/json_text.hpp"
#include "webhook/workloads/table.hpp"

#include <algorithm>
#include <ranges>

namespace tpuwh::server::doctor {

namespace {

constexpr std::string_view of_pods = ".pods.tpu-webhook.dev";

// What is left of ".pods.tpu-webhook.dev"; "pod" where nothing is.
std::string first_word(const Json& entry) {
  std::string name = name_of(entry);
  if (name == of_pods.substr(1)) return "pod";
  if (!name.ends_with(of_pods)) return {};
  name.resize(name.size() - of_pods.size());
  return name;
}

}  // namespace

Json entries_of(const Json& configuration) {
  Json entries = Json::array();
  for (const Json& each : text::member(configuration, "webhooks"))
    if (!meets_nobody(text::member(each, "objectSelector"))) entries.push_back(each);
  return entries;
}

const Json& all_entries(const Json& configuration) {
  static const Json none = Json::array();
  const Json& entries = text::member(configuration, "webhooks");
  return entries.is_array() ? entries : none;
}

std::string name_of(const Json& entry) {
  return text::text_member(entry, "name");
}

std::string path_of(const Json& entry) {
  return text::text_member(text::member(text::member(entry, "clientConfig"), "service"), "path");
}

std::string bundle_of(const Json& entry) {
  return text::text_member(text::member(entry, "clientConfig"), "caBundle");
}

std::string workload_of(const Json& entry) {
  return is_shadow(entry) || is_of_claims(entry) ? std::string() : first_word(entry);
}

bool is_shadow(const Json& entry) {
  const std::string name = name_of(entry);
  if (name.ends_with(".tpu-webhook.dev")) return name.starts_with("shadow.");
  return path_of(entry).starts_with("/shadow");
}

std::string watched_label(const Json& entries) {
  for (const Json& entry : entries) {
    if (!is_shadow(entry)) continue;
    const Json& all = text::member(text::member(entry, "namespaceSelector"), "matchExpressions");
    for (const Json& each : all) {
      const Json& values = text::member(each, "values");
      if (text::text_member(each, "operator") == "In" && values.size() == 1 &&
          values[0].is_string())
        return text::text_member(each, "key") + "=" + values[0].get<std::string>();
    }
  }
  return {};
}

bool is_of_claims(const Json& entry) {
  return first_word(entry) == "claims";
}

bool ignores_failures(const Json& entry) {
  return text::text_member(entry, "failurePolicy") == "Ignore";
}

bool has_shadow(const View& view) {
  for (const Read* each : {&view.configuration, &view.validating}) {
    const Json& entries = text::member(each->object, "webhooks");
    if (std::any_of(entries.begin(), entries.end(), is_shadow)) return true;
  }
  return false;
}

std::optional<bool> is_watched(const View& view, const Json& entry) {
  if (is_shadow(entry)) return true;
  if (is_of_claims(entry) && !(settings_known(view) && features_of(view).claims)) return true;
  if (!settings_known(view)) return std::nullopt;
  // With claims read, all that are handled are of one mode where Pods reach their entry.
  const std::string workload = is_of_claims(entry) ? "pod" : workload_of(entry);
  const auto names = handled(view);
  const bool of_the_last =
      workload == "pod" && !names.empty() &&
      (is_of_claims(entry) || std::ranges::find(names, workload) == names.end());
  if (!of_the_last) return in_shadow(view, workload);
  for (const auto& each : webhook::workloads::workloads() | std::views::reverse)
    if (std::ranges::find(names, each.name) != names.end()) return in_shadow(view, each.name);
  return std::nullopt;
}

bool is_enforced(const View& view, const Json& entry) {
  if (is_shadow(entry)) return false;
  if (!settings_known(view)) return !ignores_failures(entry);
  if (!is_of_claims(entry)) return !is_watched(view, entry).value_or(false);
  const auto names = handled(view);
  return std::ranges::any_of(
      names, [&](const std::string& each) { return !in_shadow(view, each).value_or(false); });
}

std::vector<std::string> refusing(const View& view) {
  std::vector<std::string> names;
  for (const Json& entry : entries_of(view.configuration.object))
    if (!ignores_failures(entry)) names.push_back(name_of(entry));
  return names;
}

bool harmless(const View& view) {
  const Json entries = entries_of(view.configuration.object);
  return !entries.empty() && std::ranges::all_of(entries, [&](const Json& entry) {
    return ignores_failures(entry) && is_watched(view, entry).value_or(true);
  });
}

}  // namespace tpuwh::server::doctor
