// Whether a drained node may take a replica, and no more than one at a time.
#include "kubectl/inspect/doctor/check.hpp"
#include "kubectl/inspect/doctor/commands.hpp"
#include "kubectl/inspect/doctor/difference.hpp"
#include "kubectl/inspect/doctor/mending.hpp"
#include "kubectl/inspect/running/installation.hpp"
#include "kubectl/objects/label_selector.hpp"
#include "server/text/json_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace tpuwh::server::doctor {

namespace {

constexpr auto disruption_line = "disruption";

Json wanted_budget(const View& view) {
  return {{"maxUnavailable", 1},
          {"unhealthyPodEvictionPolicy", "AlwaysAllow"},
          {"selector", selector_of(view.deployment.object)}};
}

// Whether no replica may ever be evicted.
bool forbids_all(const Json& spec, long replicas) {
  const Json& most = text::member(spec, "maxUnavailable");
  const Json& least = text::member(spec, "minAvailable");
  return most == 0 || most == "0%" || least == "100%" ||
         (least.is_number_integer() && least.get<long>() >= replicas);
}

}  // namespace

void check_disruption(const View& view, Checks& out) {
  if (!view.deployment.there()) return;
  if (!view.budgets.there()) return unknown(out, disruption_line, view.budgets.why);
  const Json& labels =
      text::member(text::member(pod_template(view.deployment.object), "metadata"), "labels");
  const long replicas = wanted_replicas(view.deployment.object);
  std::vector<const Json*> ours;
  std::vector<std::string> names;
  const Json* by_name = nullptr;
  for (const Json& each : view.budgets.items) {
    if (name_of_object(each) == running::installed_name) by_name = &each;
    if (!objects::finds(text::member(text::member(each, "spec"), "selector"), labels)) continue;
    ours.push_back(&each);
    names.push_back(name_of_object(each));
  }
  if (ours.empty() && replicas < 2)
    return ok(out, disruption_line, "one replica, and no PodDisruptionBudget for it");
  if (ours.empty() && by_name != nullptr) {
    Mending mending(view, *by_name, "poddisruptionbudget tpu-webhook", view.ns);
    mending.add_selector("/spec", "selector", selector_of(view.deployment.object));
    return warn(out, disruption_line,
                "no PodDisruptionBudget selects the replicas, since tpu-webhook's selector does "
                "not match them: nodes that are drained together may take all of them",
                mending.command());
  }
  if (ours.empty())
    return warn(out, disruption_line,
                "no PodDisruptionBudget selects the replicas: nodes that are drained together may "
                "take all of them",
                put_back(view));
  if (ours.size() > 1)
    return warn(out, disruption_line,
                fmt::format("PodDisruptionBudgets {} select the same replicas: the API server "
                            "evicts no Pod that has two",
                            fmt::join(names, ", ")),
                "keep the chart's, tpu-webhook, and let the others select other Pods");
  const Json& spec = text::member(*ours.front(), "spec");
  const auto all = differences(spec, wanted_budget(view));
  Mending mending(view, *ours.front(), "poddisruptionbudget tpu-webhook", view.ns);
  mending.add("/spec", all);
  const std::string name = fmt::format("PodDisruptionBudget {}", names.front());
  const std::string fix = names.front() == running::installed_name
                              ? mending.command()
                              : "set it as in the chart: maxUnavailable 1";
  if (forbids_all(spec, replicas))
    return warn(out, disruption_line,
                fmt::format("{} never allows one of {} replicas to be evicted, so their nodes "
                            "cannot be drained: {}",
                            name, replicas, sentences(all)),
                fix);
  if (!all.empty())
    return warn(out, disruption_line,
                fmt::format("{} is not as the chart renders it: {}", name, sentences(all)), fix);
  ok(out, disruption_line, fmt::format("{} allows one replica at a time to be evicted", name));
}

}  // namespace tpuwh::server::doctor
