// Other mutating webhooks that see the same Pods.
#include "kubectl/inspect/doctor/check.hpp"
#include "kubectl/inspect/doctor/commands.hpp"
#include "kubectl/inspect/doctor/entries.hpp"
#include "kubectl/inspect/doctor/layout.hpp"
#include "kubectl/inspect/doctor/settings_of.hpp"
#include "kubectl/inspect/running/installation.hpp"
#include "kubectl/print/shell_command.hpp"
#include "server/text/json_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace tpuwh::server::doctor {

namespace {

// Whom doctor knows: by what their configurations, webhooks or Services are called.
struct Neighbour {
  const char* who;
  bool (*is_named)(std::string_view name);
};

bool has(std::string_view text, std::string_view part) {
  return text.find(part) != text.npos;
}

bool is_of(const Neighbour& neighbour, const Json& configuration) {
  if (neighbour.is_named(name_of_object(configuration))) return true;
  return std::ranges::any_of(entries_of(configuration), [&](const Json& entry) {
    const Json& service = text::member(text::member(entry, "clientConfig"), "service");
    return neighbour.is_named(name_of(entry)) ||
           neighbour.is_named(text::text_member(service, "name"));
  });
}

bool concerns_pods(const Json& configuration) {
  return std::ranges::any_of(entries_of(configuration), sees_new_pods);
}

std::string named(const Neighbour& neighbour, const Json& configuration) {
  return fmt::format("{} (MutatingWebhookConfiguration {})", neighbour.who,
                     name_of_object(configuration));
}

bool is_asked_again(const View& view) {
  const Json entries = entries_of(view.configuration.object);
  return !entries.empty() && std::ranges::all_of(entries, [](const Json& entry) {
    return text::text_member(entry, "reinvocationPolicy") == "IfNeeded";
  });
}

// Earlier ones that an API server calls a second time: those may change Pods after us as well.
std::vector<std::string> asked_again(const View& view) {
  std::vector<std::string> out;
  for (const Json& each : view.mutating.items) {
    const Json entries = entries_of(each);
    const bool again = std::any_of(entries.begin(), entries.end(), [](const Json& entry) {
      return sees_new_pods(entry) && text::text_member(entry, "reinvocationPolicy") == "IfNeeded";
    });
    if (name_of_object(each) < running::installed_name && again)
      out.push_back(name_of_object(each));
  }
  return out;
}

void check_order(const View& view, const std::vector<std::string>& later, Checks& out) {
  constexpr auto check = "order";
  const auto again = asked_again(view);
  if (later.empty() && again.empty())
    return ok(out, check, "no other webhook changes Pods after tpu-webhook");
  std::vector<std::string> said;
  if (!later.empty())
    said.push_back(
        fmt::format("called after tpu-webhook for new Pods: {}", fmt::join(later, ", ")));
  if (!again.empty())
    said.push_back(
        fmt::format("called before it, and again after it if a later one has changed the Pod "
                    "(reinvocationPolicy IfNeeded): {}",
                    fmt::join(again, ", ")));
  const std::string who = fmt::format("{}", fmt::join(said, "; "));
  if (is_asked_again(view))
    return ok(out, check, who + "; if one changes a Pod, tpu-webhook is called again");
  warn(out, check, who + "; tpu-webhook does not see their changes",
       "set reinvocationPolicy: IfNeeded, as the chart does");
}

// ---- who writes TPU_WORKER_ID and its like, as tpu-webhook does

// Of GKE's own webhook for Jobs no name is published (docs/facts.md#gke-own-webhook): a webhook of
// gke.io with "tpu" in a name is taken for it.
struct Rival {
  Neighbour neighbour;
  std::vector<std::string> workloads;  // as --workloads names them
  const char* remove;                  // how to be without it, where Helm does not know
};

const std::vector<Rival>& rivals() {
  static const std::vector<Rival> all = {
      {{"the KubeRay TPU webhook", [](std::string_view name) { return has(name, "kuberay-tpu"); }},
       {"ray"},
       "or remove it: if GKE's Ray add-on installed it, remove the add-on, which also runs "
       "KubeRay"},
      {{"gke-tpu-env-injector",
        [](std::string_view name) { return has(name, "tpu-env-injector"); }},
       {"statefulset"},
       "or uninstall it"},
      {{"GKE's TPU webhook",
        [](std::string_view name) {
          return has(name, "gke.io") && has(name, "tpu") && !has(name, "kuberay-tpu");
        }},
       {"job", "jobset"},
       "it has no known switch"},
  };
  return all;
}

// How to be without a neighbour.
std::string without(const Rival& rival, const Json& configuration) {
  const auto release = release_of(configuration);
  return release ? "or uninstall it: " + uninstall(*release) : rival.remove;
}

// How to leave `workloads` to somebody else. An empty value would mean all of them.
std::string leave_out(const View& view, const std::vector<std::string>& workloads) {
  std::vector<std::string> others;
  for (const std::string& each : handled(view))
    if (std::ranges::find(workloads, each) == workloads.end()) others.push_back(each);
  if (others.empty()) {
    const auto release = our_release(view);
    return release ? uninstall(*release) : "uninstall tpu-webhook";
  }
  const std::string kept = fmt::format("{{{}}}", fmt::join(others, ","));
  const auto flag = print::ShellCommand("--set").arg("config.workloads=", kept);
  return fmt::format("leave {} to it: {}", fmt::join(workloads, ", "),
                     with_values(view, {flag.text()}));
}

bool any_enforced(const View& view, const std::vector<std::string>& workloads) {
  const Json entries = entries_of(view.configuration.object);
  return std::ranges::any_of(entries, [&](const Json& entry) {
    const auto its = workloads_of(view, entry);
    return std::ranges::find_first_of(its, workloads) != its.end() && is_enforced(view, entry);
  });
}

void check_rival(const View& view, const Rival& rival, const Json& configuration, Checks& out) {
  constexpr auto check = "rival";
  const std::string who = named(rival.neighbour, configuration);
  const auto here = handled(view);
  std::vector<std::string> both;
  for (const std::string& workload : rival.workloads)
    if (std::ranges::find(here, workload) != here.end()) both.push_back(workload);
  if (both.empty())
    return ok(
        out, check,
        fmt::format("{} serves {}; tpu-webhook does not", who, fmt::join(rival.workloads, ", ")));
  if (std::ranges::all_of(both, [&](const std::string& workload) {
        return in_shadow(view, workload).value_or(false);
      }))
    return ok(
        out, check,
        fmt::format("{} injects the TPU environment of {} Pods; tpu-webhook only watches them "
                    "(shadow mode)",
                    who, fmt::join(both, ", ")));
  if (!settings_known(view) && !any_enforced(view, both))
    return unknown(
        out, check,
        fmt::format(
            "{} injects the TPU environment of {} Pods; whether tpu-webhook also does depends on "
            "its settings, which were not read: its entries are as in shadow mode",
            who, fmt::join(both, ", ")));
  const bool first = name_of_object(configuration) < running::installed_name;
  warn(out, check,
       fmt::format("{} also injects the TPU environment of {} Pods; it is called {} tpu-webhook, "
                   "which keeps values already set",
                   who, fmt::join(both, ", "), first ? "before" : "after"),
       with_note("use one of them: " + leave_out(view, both), without(rival, configuration)));
}

// GKE's own webhook may be where no configuration shows it.
std::string not_seen(const View& view) {
  const bool gke =
      view.version.there() && has(text::text_member(view.version.object, "gitVersion"), "-gke.");
  return gke ? "; GKE's own injector for Jobs and JobSets has no published name, and may not be "
               "listed"
             : "";
}

void check_rivals(const View& view, Checks& out) {
  bool alone = true;
  for (const Json& each : view.mutating.items)
    for (const Rival& rival : rivals())
      if (name_of_object(each) != running::installed_name && is_of(rival.neighbour, each)) {
        alone = false;
        check_rival(view, rival, each, out);
      }
  if (alone)
    ok(out, "rival", "no other webhook is known to inject a TPU environment" + not_seen(view));
}

// ---- who does something else with the same Pods

struct Company {
  Neighbour neighbour;
  const char* does;  // and what that means here
};

const std::vector<Company>& company() {
  static const std::vector<Company> all = {
      {{"JobSet", [](std::string_view name) { return name.starts_with("jobset-"); }},
       "names Pods and places exclusive Jobs; it sets no TPU variables"},
      {{"LeaderWorkerSet", [](std::string_view name) { return name.starts_with("lws-"); }},
       "sets TPU variables of lws Pods; its values are kept, missing ones are added"},
      {{"Kueue", [](std::string_view name) { return name.starts_with("kueue-"); }},
       "holds Pods of its queues; if it gates or places them, they get no affinity terms here"},
  };
  return all;
}

void check_company(const View& view, Checks& out) {
  for (const Json& each : view.mutating.items)
    for (const Company& one : company())
      if (is_of(one.neighbour, each))
        ok(out, "neighbour",
           fmt::format("{}, called {} tpu-webhook, {}: run both", named(one.neighbour, each),
                       name_of_object(each) < running::installed_name ? "before" : "after",
                       one.does));
}

}  // namespace

void check_neighbours(const View& view, Checks& out) {
  if (!view.mutating.there()) return unknown(out, "order", view.mutating.why);
  std::vector<std::string> later;
  for (const Json& each : view.mutating.items)
    if (name_of_object(each) > running::installed_name && concerns_pods(each))
      later.push_back(name_of_object(each));
  check_order(view, later, out);
  check_rivals(view, out);
  check_company(view, out);
}

}  // namespace tpuwh::server::doctor
