// Whose Pods are sent at all: the namespaceSelectors of the entries.
#include "kubectl/inspect/doctor/check.hpp"
#include "kubectl/inspect/doctor/commands.hpp"
#include "kubectl/inspect/doctor/entries.hpp"
#include "kubectl/inspect/doctor/mending.hpp"
#include "kubectl/inspect/doctor/selected.hpp"
#include "kubectl/inspect/doctor/selectors.hpp"
#include "server/text/json_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

namespace tpuwh::server::doctor {

namespace {

constexpr auto namespaces_line = "namespaces";
// GKE advises to leave it out, as kube-system. It has Leases, and no Pods.
// source: cloud.google.com/kubernetes-engine/docs/how-to/optimize-webhooks (read 2026-11)
constexpr auto of_nodes = "kube-node-lease";

// The namespaces that a selector leaves out by name.
std::vector<std::string> excluded(const Json& entry) {
  std::vector<std::string> out;
  for (const Json& each : text::member(namespaces_of(entry), "matchExpressions"))
    if (text::text_member(each, "key") == name_label &&
        text::text_member(each, "operator") == "NotIn")
      for (const Json& value : text::member(each, "values"))
        if (value.is_string()) out.push_back(value.get<std::string>());
  return out;
}

// Who may label a namespace takes its Pods out: nobody changes or refuses them.
std::string in_shadow_mode(const View& view, const Json& entries) {
  const std::string label = watched_label(entries);
  if (label.empty()) return {};
  if (!view.watched.there())
    return fmt::format("; which are in shadow mode ({}) is not known: {}", label, view.watched.why);
  std::set<std::string> names;
  for (const Json& each : view.watched.items) names.insert(name_of_object(each));
  if (names.empty()) return {};
  return fmt::format("; in shadow mode ({}), so nothing is changed there: {}", label,
                     fmt::join(names, ", "));
}

// What else a namespace must have, besides what the chart asks of each: its name, and that it is
// not in shadow mode.
std::set<std::string> asked_for(const Json& entry, const std::string& watched) {
  std::set<std::string> out;
  for (const std::string& each : requirements(namespaces_of(entry)))
    if (!each.starts_with(std::string(name_label) + " not in ") &&
        each != fmt::format("{} not in ({})", watched.substr(0, watched.find('=')),
                            watched.substr(watched.find('=') + 1)))
      out.insert(each);
  return out;
}

// An opt-in, as the chart has it: one value of one label, which somebody has yet to set.
bool is_opt_in(const std::set<std::string>& asked) {
  return asked.size() == 1 && asked.begin()->find(" in (") != std::string::npos &&
         asked.begin()->find(',') == std::string::npos;
}

// ---- the chart renders one selector for all that do what they say

class Alike {
  // Their places in the configuration, by what they ask for.
  using Groups = std::map<std::set<std::string>, std::vector<std::size_t>>;

 public:
  explicit Alike(const View& view) : view_(view) {
    const Json& all = all_entries(view.configuration.object);
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (!is_shadow(all[i]) && !meets_nobody(text::member(all[i], "objectSelector")))
        by_requirements_[requirements(namespaces_of(all[i]))].push_back(i);
    }
  }

  // Whether all are the same.
  bool check_all(Checks& out) const {
    if (by_requirements_.size() < 2) return true;
    const Json& all = all_entries(view_.configuration.object);
    const auto most = rendered();
    const Json& wanted = namespaces_of(all[most->second.front()]);
    for (const auto& [asked, indices] : by_requirements_) {
      if (asked == most->first) continue;
      const Json& found = namespaces_of(all[indices.front()]);
      const auto more = beyond(found, wanted), less = beyond(wanted, found);
      Mending mending(view_, view_.configuration.object, "mutatingwebhookconfiguration tpu-webhook",
                      "");
      std::vector<std::string> names;
      bool enforced = false;
      for (const std::size_t i : indices) {
        names.push_back(name_of(all[i]));
        enforced = enforced || is_enforced(view_, all[i]);
        mending.add_selector(fmt::format("/webhooks/{}", i), "namespaceSelector", wanted);
      }
      out.push_back(
          {!more.empty() && enforced ? Verdict::fail : Verdict::warn, namespaces_line,
           fmt::format(
               "{}: namespaceSelector differs from that of the other entries, which the chart "
               "renders alike{}{}",
               fmt::join(names, ", "),
               more.empty()
                   ? ""
                   : fmt::format("; it also requires: {}, so Pods of other namespaces are not sent",
                                 fmt::join(more, "; ")),
               less.empty()
                   ? ""
                   : fmt::format("; it does not require: {}, so Pods of more namespaces are sent",
                                 fmt::join(less, "; "))),
           mending.command()});
    }
    return false;
  }

 private:
  // What was rendered: what the validating entries have as well, else what most have.
  Groups::const_iterator rendered() const {
    for (const Json& each : text::member(view_.validating.object, "webhooks"))
      if (const auto same = by_requirements_.find(requirements(namespaces_of(each)));
          !is_shadow(each) && same != by_requirements_.end())
        return same;
    return std::ranges::max_element(by_requirements_, {},
                                    [](const auto& each) { return each.second.size(); });
  }

  const View& view_;
  Groups by_requirements_;
};

// ---- namespaces that depend on it that the webhook is not asked

// Returns whether there is nothing to say.
bool check_system(const View& view, const Json& entries, Checks& out) {
  const std::string fix =
      as_the_chart_says(view) + "; it excludes kube-system, kube-node-lease and the webhook's own";
  std::vector<std::string> own, system, not_known;
  for (const Json& entry : entries) {
    const auto of_own = is_sent(view, entry, view.ns);
    if (of_own.value_or(false) && !ignores_failures(entry)) own.push_back(name_of(entry));
    if (!of_own) not_known.push_back(name_of(entry));
    if (is_sent(view, entry, "kube-system").value_or(true)) system.push_back(name_of(entry));
  }
  if (!own.empty())
    fail(out, namespaces_line,
         fmt::format("Pods of {} itself are sent to the webhook ({}): when none of its Pods runs, "
                     "none that the conditions match can be created there",
                     view.ns, fmt::join(own, ", ")),
         fix);
  else if (!system.empty())
    warn(out, namespaces_line,
         fmt::format("Pods of kube-system are sent to the webhook ({}), but the cluster needs them "
                     "to start",
                     fmt::join(system, ", ")),
         fix);
  else if (!not_known.empty())
    unknown(out, namespaces_line,
            fmt::format("whether Pods of {} itself are sent ({}): its labels were not read",
                        view.ns, fmt::join(not_known, ", ")));
  return own.empty() && system.empty() && not_known.empty();
}

// The label selector as kubectl takes it, of "key in (value)".
std::string label_of(const std::string& opt_in) {
  const std::size_t middle = opt_in.find(" in (");
  return fmt::format("{}={}", opt_in.substr(0, middle),
                     opt_in.substr(middle + 5, opt_in.size() - middle - 6));
}

// Whether some namespace's Pods are sent to each entry.
bool check_any(const View& view, const Json& entries, Checks& out) {
  if (!view.namespaces.there()) return true;
  std::map<std::set<std::string>, std::vector<std::string>> by_request;
  bool enforced = false;
  for (const Json& entry : entries) {
    if (is_shadow(entry) || meets_nobody(namespaces_of(entry))) continue;
    const bool any = std::ranges::any_of(view.namespaces.items, [&](const Json& each) {
      const Json& metadata = text::member(each, "metadata");
      return is_sent(view, entry, text::text_member(metadata, "name")).value_or(false);
    });
    if (any) continue;
    enforced = enforced || is_enforced(view, entry);
    by_request[asked_for(entry, watched_label(entries))].push_back(name_of(entry));
  }
  for (const auto& [asked, names] : by_request) {
    const bool chosen = is_opt_in(asked);
    const std::string what =
        fmt::format("no namespace of {} is one whose Pods are sent to {}{}",
                    view.namespaces.items.size(), fmt::join(names, ", "),
                    asked.empty() ? "" : fmt::format(": expected {}", fmt::join(asked, "; ")));
    out.push_back({enforced && !chosen ? Verdict::fail : Verdict::warn, namespaces_line, what,
                   chosen ? fmt::format("kubectl label namespace NAME {}", label_of(*asked.begin()))
                          : "remove from namespaces.selector and namespaces.exclude the terms that "
                            "no namespace meets"});
  }
  return by_request.empty();
}

}  // namespace

void check_namespaces(const View& view, Checks& out) {
  const Json entries = entries_of(view.configuration.object);
  const bool alike = Alike(view).check_all(out);
  const bool good = check_system(view, entries, out);
  const bool any = check_any(view, entries, out);
  if (!alike || !good || !any) return;
  std::set<std::string> left_out, asked;
  for (const Json& entry : entries) {
    const auto names = excluded(entry);
    left_out.insert(names.begin(), names.end());
    if (!is_shadow(entry)) asked.merge(asked_for(entry, watched_label(entries)));
  }
  std::string said = fmt::format("not sent to the webhook: {}", fmt::join(left_out, ", "));
  if (!left_out.contains(of_nodes))
    said += fmt::format(
        "; {}, which has no Pods, and which the chart leaves out, is not among them", of_nodes);
  if (view.ns == "default" && left_out.contains(view.ns))
    return warn(
        out, namespaces_line,
        said +
            ": tpu-webhook is installed in default, and its own namespace is never sent, so a TPU "
            "Pod there, or one that names no namespace, stays unchanged" +
            in_shadow_mode(view, entries),
        "install it in a namespace of its own, with its current values, and uninstall this one");
  if (left_out.contains("default"))
    said +=
        " (so Pods of default stay unchanged, which is where a Pod is created that names "
        "no namespace)";
  if (!asked.empty()) said += fmt::format("; only those with {} are sent", fmt::join(asked, "; "));
  ok(out, namespaces_line, said + in_shadow_mode(view, entries));
}

}  // namespace tpuwh::server::doctor
