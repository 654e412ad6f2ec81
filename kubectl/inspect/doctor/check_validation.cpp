// The ValidatingWebhookConfiguration, field by field. Its failurePolicy is Ignore: what is wrong
// with it refuses nobody, but objects are admitted that can never start.
#include "kubectl/inspect/doctor/check.hpp"
#include "kubectl/inspect/doctor/commands.hpp"
#include "kubectl/inspect/doctor/condition.hpp"
#include "kubectl/inspect/doctor/difference.hpp"
#include "kubectl/inspect/doctor/entries.hpp"
#include "kubectl/inspect/doctor/mending.hpp"
#include "kubectl/inspect/doctor/selectors.hpp"
#include "kubectl/inspect/doctor/wanted.hpp"
#include "server/text/json_text.hpp"
#include "server/text/version.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

namespace tpuwh::server::doctor {

namespace {

constexpr auto validation_line = "validation";

const Json* entry_named(const Json& entries, const std::string& name) {
  for (const Json& each : entries)
    if (name_of(each) == name) return &each;
  return nullptr;
}

// The namespaceSelector of the entries for Pods, shadow or not, which one of these has as well;
// null where there is no such entry.
Json wanted_namespaces(const View& view, bool of_shadow) {
  for (const Json& each : entries_of(view.configuration.object))
    if (is_shadow(each) == of_shadow) {
      const Json& selector = text::member(each, "namespaceSelector");
      return selector.is_null() ? Json::object() : selector;
    }
  return {};
}

// Whether no entry for Pods is for the same namespaces.
bool is_elsewhere(const View& view, const Json& entry) {
  const auto asked = requirements(text::member(entry, "namespaceSelector"));
  bool any = false;
  for (const Json& each : entries_of(view.configuration.object)) {
    if (is_shadow(each) != is_shadow(entry)) continue;
    if (requirements(text::member(each, "namespaceSelector")) == asked) return false;
    any = true;
  }
  return any;
}

// Whether nobody checks anything by this entry.
bool is_off(const Json& entry, const Json& wanted) {
  const Json& conditions = text::member(entry, "matchConditions");
  return !differences(client_of(entry), client_of(wanted)).empty() ||
         text::member(entry, "rules").empty() ||
         std::any_of(conditions.begin(), conditions.end(),
                     [](const Json& each) {
                       return is_never_true(text::text_member(each, "expression"));
                     }) ||
         meets_nobody(text::member(entry, "objectSelector")) ||
         meets_nobody(text::member(entry, "namespaceSelector"));
}

std::string what_is_other(const View& view, const Json& entry, const Json& wanted,
                          const std::vector<Difference>& all) {
  std::vector<std::string> said;
  if (!all.empty()) said.push_back(sentences(all));
  if (is_elsewhere(view, entry))
    said.push_back(
        "namespaceSelector differs from that of the entries for Pods, which the chart renders "
        "alike");
  if (said.empty()) return {};
  if (is_off(entry, wanted))
    said.push_back("no object is checked by it, so objects that can never start are admitted");
  return fmt::format("{}", fmt::join(said, "; "));
}

// The chart has it written by the same hand as that of the mutating ones.
bool check_same_bundles(const View& view, Checks& out) {
  std::set<std::string> bundles;
  for (const Json& entry : entries_of(view.configuration.object)) bundles.insert(bundle_of(entry));
  std::vector<std::string> other;
  for (const Json& entry : entries_of(view.validating.object))
    if (!bundles.contains(bundle_of(entry))) other.push_back(name_of(entry));
  if (!view.configuration.there() || other.empty()) return true;
  warn(out, validation_line,
       fmt::format("entries of the ValidatingWebhookConfiguration tpu-webhook have another "
                   "caBundle than the mutating ones ({}): they cannot be called, and "
                   "objects that can never start are admitted",
                   fmt::join(other, ", ")),
       how_to_trust(view));
  return false;
}

bool check_fields(const View& view, Checks& out) {
  const Json& found = all_entries(view.validating.object);
  const Json wanted = wanted_validations(view, has_shadow(view));
  Mending mending(view, view.validating.object, "validatingwebhookconfiguration tpu-webhook", "");
  std::map<std::string, std::vector<std::string>> said;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const Json& entry = found[i];
    const std::string part = fmt::format("/webhooks/{}", i);
    const Json* one = entry_named(wanted, name_of(entry));
    if (one == nullptr) {
      said["this program renders no such entry"].push_back(name_of(entry));
      mending.remove(part, name_of(entry));
      continue;
    }
    const auto all = differences(comparable(entry, true), *one);
    const std::string what = what_is_other(view, entry, *one, all);
    if (what.empty()) continue;
    said[what].push_back(name_of(entry));
    if (!text::member(entry, "clientConfig").contains("url")) {
      mending.add(part, all);
      if (is_elsewhere(view, entry))
        mending.add_selector(part, "namespaceSelector", wanted_namespaces(view, is_shadow(entry)));
      continue;
    }
    Json client = one->at("clientConfig");
    if (const auto bundle = bundle_of(entry); !bundle.empty()) client["caBundle"] = bundle;
    mending.replace(part + "/clientConfig", client);
  }
  for (const Json& each : wanted)
    if (entry_named(found, name_of(each)) == nullptr) {
      said["there is no such entry: objects that can never start are admitted"].push_back(
          name_of(each));
      mending.render();
    }
  for (const auto& [what, names] : said)
    warn(out, validation_line,
         fmt::format("ValidatingWebhookConfiguration tpu-webhook: {}: {}", fmt::join(names, ", "),
                     what),
         mending.command());
  return said.empty();
}

}  // namespace

void check_validation(const View& view, Checks& out) {
  if (view.validating.found == Found::unknown)
    return unknown(out, validation_line, view.validating.why);
  if (!view.validating.there())
    return ok(out, validation_line,
              "workload objects are not checked when they are created (validation)");
  const bool bundles = check_same_bundles(view, out);
  const bool fields = check_fields(view, out);
  if (bundles && fields)
    ok(out, validation_line,
       fmt::format("workload objects are checked when they are created: the "
                   "ValidatingWebhookConfiguration tpu-webhook is as tpu-webhook {} renders it",
                   text::version));
}

}  // namespace tpuwh::server::doctor
