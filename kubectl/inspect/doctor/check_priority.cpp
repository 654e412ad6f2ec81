// Before whom the replicas are scheduled, and after whom they are evicted.
#include "kubectl/inspect/doctor/check.hpp"
#include "kubectl/inspect/doctor/commands.hpp"
#include "kubectl/inspect/doctor/difference.hpp"
#include "kubectl/inspect/doctor/mending.hpp"
#include "kubectl/inspect/running/installation.hpp"
#include "server/text/json_text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tpuwh::server::doctor {

namespace {

constexpr auto priority_line = "priority";

Json wanted_class() {
  return {{"value", 1000000000},
          {"globalDefault", false},
          {"preemptionPolicy", "PreemptLowerPriority"},
          {"description", "Pods of tpu-webhook, without which TPU Pods may be refused."}};
}

// What no API server lets be changed: the class is made anew.
bool is_fixed(const Difference& difference) {
  return difference.path == "value" || difference.path == "preemptionPolicy";
}

Json wanted_quota(const std::string& name) {
  const Json scope = {{"scopeName", "PriorityClass"}, {"operator", "In"}, {"values", {name}}};
  return {{"hard", {{"pods", "200"}}},
          {"scopeSelector", {{"matchExpressions", Json::array({scope})}}}};
}

// The chart's own class.
void check_own(const View& view, Checks& out) {
  Json found = Json::object();
  for (const auto& [key, value] : view.priority_class.object.items())
    if (key != "kind" && key != "apiVersion" && key != "metadata") found[key] = value;
  found = filled(found, {{"globalDefault", false}, {"preemptionPolicy", "PreemptLowerPriority"}});
  const auto all = differences(found, wanted_class());
  if (all.empty())
    return ok(out, priority_line,
              "PriorityClass tpu-webhook is above all that are not the system's (1000000000)");
  const std::string what =
      "PriorityClass tpu-webhook is not as the chart renders it: " + sentences(all);
  const std::string again = put_back(view);
  if (std::ranges::none_of(all, is_fixed)) return warn(out, priority_line, what, again);
  warn(out, priority_line, what,
       again.starts_with("helm ")
           ? with_note("kubectl delete priorityclass tpu-webhook && " + again,
                       "it cannot be changed; Pods keep the priority that they have")
           : "it cannot be changed: delete it; then " + again);
}

// Of the system's: where such Pods are limited (GKE), a quota of the namespace allows them.
void check_critical(const View& view, const std::string& name, Checks& out) {
  if (!view.quotas.there()) return unknown(out, priority_line, view.quotas.why);
  const auto own = std::ranges::find(view.quotas.items, critical_quota, name_of_object);
  if (own == view.quotas.items.end())
    return warn(out, priority_line,
                fmt::format("the Pods are of priority class {}, and no ResourceQuota {} allows "
                            "them in {}: GKE, and any cluster that limits such Pods, creates none",
                            name, critical_quota, view.ns),
                put_back(view));
  const auto all = differences(text::member(*own, "spec"), wanted_quota(name));
  if (!all.empty())
    return warn_of_spec(view, out, priority_line, *own, "ResourceQuota", critical_quota, view.ns,
                        all);
  ok(out, priority_line,
     fmt::format("the Pods are of priority class {}, which ResourceQuota {} allows in {}", name,
                 critical_quota, view.ns));
}

}  // namespace

void check_priority(const View& view, Checks& out) {
  if (!view.deployment.there()) return;
  const std::string name = text::text_member(pod_spec(view.deployment.object), "priorityClassName");
  if (name.empty())
    return ok(out, priority_line,
              "the Pods name no priority class: they have the cluster's default");
  if (name.starts_with("system-")) return check_critical(view, name, out);
  if (view.priority_class.found == Found::absent)
    return fail(out, priority_line,
                fmt::format("there is no PriorityClass {}, which the Deployment's Pods name: no "
                            "further one can be created",
                            name),
                name == running::installed_name
                    ? put_back(view)
                    : with_values(view, {"--set priorityClassName=tpu-webhook"}));
  if (!view.priority_class.there()) return unknown(out, priority_line, view.priority_class.why);
  if (name == running::installed_name) return check_own(view, out);
  const Json& value = text::member(view.priority_class.object, "value");
  ok(out, priority_line,
     fmt::format("the Pods are of priority class {} ({}), which is not the chart's", name,
                 text::dump_json(value)));
}

}  // namespace tpuwh::server::doctor
