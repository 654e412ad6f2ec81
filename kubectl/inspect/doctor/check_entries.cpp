// Each entry of the MutatingWebhookConfiguration, field by field against what the program renders.
#include "base/counted.hpp"
#include "kubectl/inspect/doctor/check.hpp"
#include "kubectl/inspect/doctor/commands.hpp"
#include "kubectl/inspect/doctor/condition.hpp"
#include "kubectl/inspect/doctor/difference.hpp"
#include "kubectl/inspect/doctor/entries.hpp"
#include "kubectl/inspect/doctor/mending.hpp"
#include "kubectl/inspect/doctor/selectors.hpp"
#include "kubectl/inspect/doctor/wanted.hpp"
#include "kubectl/objects/keys.hpp"
#include "server/text/json_text.hpp"
#include "server/text/version.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

namespace tpuwh::server::doctor {

namespace {

constexpr auto configuration_line = "configuration";

// Why nothing happens to the Pods of an entry; "" where something may.
std::string why_off(const Json& entry, const Json& wanted) {
  if (!differences(client_of(entry), client_of(wanted)).empty())
    return "no replica is asked to change its Pods";
  if (!sees_new_pods(entry)) return "no new Pod matches its rules";
  const Json& conditions = text::member(entry, "matchConditions");
  if (std::any_of(conditions.begin(), conditions.end(), [](const Json& each) {
        return is_never_true(text::text_member(each, "expression"));
      }))
    return "no Pod meets its matchConditions, so none is sent";
  const Json& objects = text::member(entry, "objectSelector");
  const bool is_left_out = meets_nobody(text::member(wanted, "objectSelector"));
  if (meets_nobody(objects) && !is_left_out)
    return "no Pod meets its objectSelector, so none is sent";
  if (!is_left_out && !beyond(objects, text::member(wanted, "objectSelector")).empty())
    return "Pods that its objectSelector leaves out are not sent";
  if (meets_nobody(text::member(entry, "namespaceSelector")))
    return "no namespace meets its namespaceSelector, so no Pod is sent";
  return {};
}

// Returns, as one text, the differences between an installed webhook (`entry`) and the chart's
// webhook. The paths of the differences omit the name of the first matchCondition, because that
// name differs between webhooks. So webhooks with the same differences get equal texts and share
// one line of output.
std::string what_differs(const std::vector<Difference>& all, const Json& entry) {
  std::vector<std::string> out;
  const Json& conditions = text::member(entry, "matchConditions");
  const std::string of_one = conditions.is_array() && !conditions.empty()
                                 ? fmt::format("[{}].", text::text_member(conditions[0], "name"))
                                 : std::string("[].");
  for (Difference each : all) {
    if (const std::size_t at = each.path.find(of_one); at != each.path.npos)
      each.path.replace(at, of_one.size(), ".");
    out.push_back(sentence(each));
  }
  return fmt::format("{}", fmt::join(out, "; "));
}

bool differs_in(const std::vector<Difference>& all, std::string_view path) {
  return std::ranges::any_of(all, [&](const auto& each) { return each.path.starts_with(path); });
}

// Returns the consequence of the differences between the installed webhook `entry` and the chart's
// webhook `wanted`. Returns "" if no consequence is known.
std::string meaning(const Json& entry, const Json& wanted, const std::vector<Difference>& all) {
  const Json& objects = text::member(entry, "objectSelector");
  const Json& wanted_objects = text::member(wanted, "objectSelector");
  if (meets_nobody(wanted_objects) && !meets_nobody(objects))
    return "it is for no Pod with these settings: Pods of another entry, or of none, are sent to "
           "it";
  if (text::member(entry, "matchConditions").empty())
    return "matchConditions are missing, so every Pod of the cluster is sent";
  if (differs_in(all, "matchConditions")) return "which Pods it is sent is not known";
  if (!beyond(wanted_objects, objects).empty())
    return "Pods that its objectSelector has to leave out are sent by another entry, too";
  return {};
}

class Entries {
 public:
  Entries(const View& view, Checks& out)
      : view_(view),
        out_(out),
        found_(all_entries(view.configuration.object)),
        mending_(view, view.configuration.object, "mutatingwebhookconfiguration tpu-webhook", "") {}

  void check_all() {
    const Json wanted = wanted_entries(view_, has_shadow(view_));
    pair_up(wanted);
    for (std::size_t i = 0; i < found_.size(); ++i)
      if (const Json* one = pairs_[i])
        compare(i, *one);
      else
        stray(i);
    for (const Json& one : wanted)
      if (!taken_.contains(&one)) missing(one);
    say();
  }

 private:
  // Pairs each installed webhook with the webhook of the same name in `wanted`, the chart's
  // webhooks. If `wanted` has no such name, pairs the installed webhook with a webhook of `wanted`
  // that has the same matchConditions and the same path.
  void pair_up(const Json& wanted) {
    pairs_.assign(found_.size(), nullptr);
    for (const Json& each : found_) ++names_[name_of(each)];
    for (const bool by_name : {true, false})
      for (std::size_t i = 0; i < found_.size(); ++i)
        for (const Json& one : wanted)
          if (pairs_[i] == nullptr && !taken_.contains(&one) &&
              (by_name ? name_of(one) == name_of(found_[i])
                       : !has_name(wanted, name_of(found_[i])) && asks_the_same(found_[i], one)))
            taken_.insert(pairs_[i] = &one);
  }

  static bool has_name(const Json& wanted, const std::string& name) {
    return std::any_of(wanted.begin(), wanted.end(),
                       [&](const Json& each) { return name_of(each) == name; });
  }

  static bool asks_the_same(const Json& found, const Json& wanted) {
    return text::member(found, "matchConditions").is_array() &&
           differences(found["matchConditions"], wanted["matchConditions"]).empty() &&
           path_of(found) == path_of(wanted);
  }

  static std::string part(std::size_t index) { return fmt::format("/webhooks/{}", index); }

  void compare(std::size_t index, const Json& wanted) {
    const Json& entry = found_[index];
    auto all = differences(comparable(entry, false), wanted);
    if (meets_nobody(text::member(entry, "objectSelector")) &&
        meets_nobody(text::member(wanted, "objectSelector")))
      std::erase_if(all, [](const auto& each) { return each.path.starts_with("objectSelector"); });
    const std::string off = why_off(entry, wanted);
    if (all.empty() && off.empty()) return;
    const std::string means = off.empty() ? meaning(entry, wanted, all) : off;
    tell(entry, !off.empty(), what_differs(all, entry), means);
    mend(index, entry, wanted, all);
  }

  void mend(std::size_t index, const Json& entry, const Json& wanted,
            const std::vector<Difference>& all) {
    if (meets_nobody(text::member(entry, "namespaceSelector"))) mending_.render();
    // Helm knows elements by their names.
    if (name_of(entry) != name_of(wanted)) {
      mending_.render();
      return mending_.remove(part(index), name_of(entry));
    }
    if (text::member(entry, "clientConfig").contains("url")) {
      Json client = wanted["clientConfig"];
      if (const std::string bundle = bundle_of(entry); !bundle.empty()) client["caBundle"] = bundle;
      mending_.replace(part(index) + "/clientConfig", client);
      std::vector<Difference> rest;
      for (const Difference& each : all)
        if (!each.path.starts_with("clientConfig")) rest.push_back(each);
      return mending_.add(part(index), rest);
    }
    mending_.add(part(index), all);
  }

  void stray(std::size_t index) {
    const Json& entry = found_[index];
    const bool twice = names_[name_of(entry)] > 1;
    grouped_[{false, twice ? "duplicate: Pods are sent twice, if the API server accepts it at all"
                           : "this program renders no such entry"}]
        .push_back(name_of(entry));
    mending_.remove(part(index), name_of(entry));
  }

  void missing(const Json& wanted) {
    if (meets_nobody(wanted["objectSelector"])) return;  // nor would it be sent any
    mending_.render();
    // By the settings it is enforced, or, where these are not known, by what the others say.
    Json entry = wanted;
    entry["failurePolicy"] = refusing(view_).empty() ? "Ignore" : "Fail";
    tell(entry, true, "there is no such entry", "its Pods are not sent");
  }

  // A line of an entry, or of all of which it is true.
  void tell(const Json& entry, bool off, const std::string& what, const std::string& means) {
    const std::string between = what.empty() || means.empty() ? "" : ": ";
    grouped_[{off && is_enforced(view_, entry), what + between + means}].push_back(name_of(entry));
  }

  void say() {
    const std::string fix = mending_.command();
    for (const auto& [said, names] : grouped_)
      out_.push_back({said.first ? Verdict::fail : Verdict::warn, configuration_line,
                      fmt::format("{}: {}{}", fmt::join(names, ", "), said.second, versions()),
                      fix.empty() ? put_back(view_) : fix});
    if (!grouped_.empty()) return;
    std::vector<const Json*> order = pairs_;
    std::ranges::sort(order);
    ok(out_, configuration_line,
       fmt::format("the MutatingWebhookConfiguration tpu-webhook is as tpu-webhook {} renders it: "
                   "{}{}",
                   text::version, base::counted(found_.size(), "entry"),
                   order == pairs_ ? "" : ", in another order, which changes nothing"));
  }

  // Where it is of another release than this program.
  std::string versions() const {
    const std::string of = text::text_member(
        text::member(text::member(view_.configuration.object, "metadata"), "labels"),
        objects::key::app_version);
    if (of.empty() || of == text::version) return {};
    return fmt::format(" (it is of release {}, and this program {})", of, text::version);
  }

  const View& view_;
  Checks& out_;
  const Json& found_;
  std::vector<const Json*> pairs_;    // to what each is compared
  std::set<const Json*> taken_;       // those of them
  std::map<std::string, int> names_;  // how many entries have each
  // (whether it fails, what) -> names of the entries
  std::map<std::pair<bool, std::string>, std::vector<std::string>, std::greater<>> grouped_;
  Mending mending_;
};

}  // namespace

void check_entries(const View& view, Checks& out) {
  Entries(view, out).check_all();
}

}  // namespace tpuwh::server::doctor
