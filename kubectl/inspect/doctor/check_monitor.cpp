// Checks that the PodMonitor selects the Pods of tpu-webhook and has the port and path of their
// metrics.
#include "kubectl/inspect/doctor/check.hpp"
#include "kubectl/inspect/doctor/difference.hpp"
#include "kubectl/inspect/doctor/mending.hpp"
#include "kubectl/inspect/running/installation.hpp"
#include "server/text/json_text.hpp"

#include <fmt/format.h>

namespace tpuwh::server::doctor {

namespace {

constexpr auto monitor_line = "pod-monitor";

// Returns the spec that the chart renders for the PodMonitor, but without the interval, because the
// chart's values choose the interval.
// Source: charts/tpu-webhook/templates/podmonitor.yaml
Json wanted_monitor(const View& view) {
  return {{"selector", selector_of(view.deployment.object)},
          {"podMetricsEndpoints", Json::array({{{"port", "metrics"}, {"path", "/metrics"}}})}};
}

// "podMonitor.interval" of the values; "" where it says none.
std::string interval_of(const Json& endpoint) {
  return text::text_member(endpoint, "interval");
}

}  // namespace

void check_monitor(const View& view, Checks& out) {
  if (!view.deployment.there()) return;
  if (view.pod_monitor.found == Found::absent)
    return ok(out, monitor_line,
              "no PodMonitor tpu-webhook: the Prometheus operator collects no metrics of it");
  if (!view.pod_monitor.there()) return unknown(out, monitor_line, view.pod_monitor.why);
  Json wanted = wanted_monitor(view);
  const Json& found = text::member(view.pod_monitor.object, "spec");
  const Json& endpoints = text::member(found, "podMetricsEndpoints");
  std::string interval;
  if (endpoints.is_array() && !endpoints.empty()) interval = interval_of(endpoints[0]);
  if (!interval.empty()) wanted["podMetricsEndpoints"][0]["interval"] = interval;
  const auto all = differences(found, wanted);
  if (!all.empty())
    return warn_of_spec(view, out, monitor_line, view.pod_monitor.object, "PodMonitor",
                        running::installed_name, view.ns, all);
  ok(out, monitor_line,
     fmt::format("PodMonitor tpu-webhook asks each replica for /metrics{}",
                 interval.empty() ? std::string() : " every " + interval));
}

}  // namespace tpuwh::server::doctor
