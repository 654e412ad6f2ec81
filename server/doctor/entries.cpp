#include "server/doctor/entries.hpp"

#include "server/doctor/settings_of.hpp"
#include "server/text/json_text.hpp"

#include <algorithm>

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
  const Json all = text::member(text::member(entry, "objectSelector"), "matchExpressions");
  const auto says = [](const Json& each, const char* operation) {
    return text::text_member(each, "operator") == operation;
  };
  return std::ranges::any_of(all, [&](const Json& one) {
    return says(one, "Exists") && std::ranges::any_of(all, [&](const Json& other) {
             return says(other, "DoesNotExist") &&
                    text::text_member(one, "key") == text::text_member(other, "key");
           });
  });
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
