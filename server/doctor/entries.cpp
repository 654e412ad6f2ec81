#include "server/doctor/entries.hpp"

#include "server/doctor/settings_of.hpp"
#include "server/text/json_text.hpp"

#include <algorithm>
#include <set>

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

// As the chart writes it for a workload API that is left out: a label that is there and is not.
bool matches_nothing(const Json& entry) {
  std::set<std::string> there, not_there;
  for (const Json& each : text::member(text::member(entry, "objectSelector"), "matchExpressions")) {
    const std::string operation = text::text_member(each, "operator");
    const std::string key = text::text_member(each, "key");
    if (operation == "Exists") there.insert(key);
    if (operation == "DoesNotExist") not_there.insert(key);
  }
  return std::ranges::any_of(there, [&](const auto& key) { return not_there.contains(key); });
}

}  // namespace

Json entries_of(const Json& configuration) {
  Json entries = Json::array();
  for (const Json& each : text::member(configuration, "webhooks"))
    if (!matches_nothing(each)) entries.push_back(each);
  return entries;
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

std::vector<std::string> refusing(const View& view) {
  std::vector<std::string> names;
  for (const Json& entry : entries_of(view.configuration.object))
    if (!ignores_failures(entry)) names.push_back(name_of(entry));
  return names;
}

bool harmless(const View& view) {
  const Json entries = entries_of(view.configuration.object);
  return !entries.empty() && std::ranges::all_of(entries, [&](const Json& entry) {
    const bool watches = is_shadow(entry) || is_of_claims(entry) ||
                         in_shadow(view, workload_of(entry)).value_or(true);
    return ignores_failures(entry) && watches;
  });
}

}  // namespace tpuwh::server::doctor
