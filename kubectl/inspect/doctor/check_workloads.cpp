// The ledger, and whose Pods come.
#include "base/counted.hpp"
#include "kubectl/inspect/doctor/check.hpp"
#include "kubectl/inspect/ledger/inventory.hpp"
#include "server/kube/cluster/ledger_object.hpp"
#include "server/text/json_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace tpuwh::server::doctor {

namespace {

bool writes_jobset_pods(const Json& configuration) {
  const std::string name = name_of_object(configuration);
  const Json& webhooks = text::member(configuration, "webhooks");
  return name.find("jobset") != name.npos && webhooks.is_array() &&
         std::ranges::any_of(webhooks, sees_new_pods);
}

void check_jobset(const View& view, Checks& out) {
  constexpr auto check = "jobset";
  if (served(view, "jobset.x-k8s.io").found != Found::there) return;
  if (!view.mutating.there()) return unknown(out, check, view.mutating.why);
  if (std::ranges::any_of(view.mutating.items, writes_jobset_pods))
    return ok(out, check, "JobSet's own webhook for Pods is installed");
  warn(
      out, check,
      "JobSets are served, but JobSet's webhook for Pods is not installed: its exclusive placement "
      "(alpha.jobset.sigs.k8s.io/exclusive-topology) does not work",
      "install JobSet's webhooks with its controller");
}

}  // namespace

void check_workload_apis(const View& view, Checks& out) {
  constexpr auto check = "workload-apis";
  std::vector<std::string> there, absent;
  for (const auto& [kind, group, read] : view.apis)
    if (read.found == Found::unknown)
      unknown(out, check, read.why);
    else
      (read.there() ? there : absent).push_back(kind);
  const auto list = [](const std::vector<std::string>& names) {
    return names.empty() ? std::string("none") : fmt::format("{}", fmt::join(names, ", "));
  };
  if (there.size() + absent.size() > 0)
    ok(out, check,
       fmt::format("served beside Jobs and StatefulSets: {}; not served: {}", list(there),
                   list(absent)));
  check_jobset(view, out);
}

void check_ledger(const View& view, Checks& out) {
  constexpr auto check = "ledger";
  if (!view.ledger.there()) return unknown(out, check, view.ledger.why);
  std::vector<std::string> rebuilding, unreadable;
  std::size_t entries = 0;
  for (const Json& each : view.ledger.items) {
    const auto object = kube::cluster::read_ledger_object(each);
    if (!object) {
      unreadable.push_back(object.error().message());
      continue;
    }
    entries += object->record.entries.size();
    if (object->record.rebuilding) rebuilding.push_back(ledger::group_text(object->group));
  }
  if (!unreadable.empty())
    fail(out, check, fmt::format("{}", fmt::join(unreadable, "; ")),
         "if no newer release wrote it, delete the ConfigMap: it is rebuilt from the Pods");
  if (!rebuilding.empty())
    warn(out, check,
         fmt::format("being rebuilt from the running Pods, no ids until then: {}",
                     fmt::join(rebuilding, ", ")),
         "wait two minutes; if it persists, see the webhook's log");
  if (unreadable.empty() && rebuilding.empty())
    ok(out, check,
       fmt::format("{} with {}, all complete", base::counted(view.ledger.items.size(), "group"),
                   base::counted(entries, "entry")));
}

}  // namespace tpuwh::server::doctor
