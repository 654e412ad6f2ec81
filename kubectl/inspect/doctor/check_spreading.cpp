// Whether the scheduler is told to put the replicas on several nodes.
#include "kubectl/inspect/doctor/check.hpp"
#include "kubectl/inspect/doctor/commands.hpp"
#include "kubectl/inspect/doctor/difference.hpp"
#include "kubectl/objects/keys.hpp"
#include "kubectl/objects/label_selector.hpp"
#include "server/text/json_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace tpuwh::server::doctor {

namespace {

constexpr auto spreading_line = "spreading";

// charts/tpu-webhook/templates/deployment.yaml
Json wanted_constraints(const View& view) {
  Json out = Json::array();
  for (const char* key : {objects::key::hostname, objects::key::zone})
    out.push_back({{"topologyKey", key},
                   {"maxSkew", 1},
                   {"whenUnsatisfiable", "ScheduleAnyway"},
                   {"labelSelector", selector_of(view.deployment.object)},
                   {"matchLabelKeys", {objects::key::pod_template_hash}}});
  return out;
}

std::string words(const Json& constraint) {
  const Json& skew = text::member(constraint, "maxSkew");
  return fmt::format("over {} (maxSkew {}, {})", text::text_member(constraint, "topologyKey"),
                     text::dump_json(skew), text::text_member(constraint, "whenUnsatisfiable"));
}

bool keeps_apart(const Json& spec) {
  const Json& affinity = text::member(text::member(spec, "affinity"), "podAntiAffinity");
  return affinity.is_object() && !affinity.empty();
}

}  // namespace

void check_spreading(const View& view, Checks& out) {
  if (!view.deployment.there()) return;
  const Json& pod = pod_template(view.deployment.object);
  const Json& spec = text::member(pod, "spec");
  const Json& found = text::member(spec, "topologySpreadConstraints");
  const bool one = wanted_replicas(view.deployment.object) < 2;
  if (!found.is_array() || found.empty()) {
    if (one) return ok(out, spreading_line, "one replica, with nothing to spread");
    if (keeps_apart(spec))
      return ok(out, spreading_line,
                "no topologySpreadConstraints, but podAntiAffinity, which is not compared");
    return warn(out, spreading_line,
                "topologySpreadConstraints and podAntiAffinity are missing: all replicas may run "
                "on one node",
                put_back(view));
  }
  if (differences(found, wanted_constraints(view)).empty())
    return ok(out, spreading_line, "replicas are spread over nodes and zones, where possible");
  std::vector<std::string> said, idle;
  for (const Json& each : found) {
    said.push_back(words(each));
    if (!objects::finds_its_own(pod, each)) idle.push_back(text::text_member(each, "topologyKey"));
  }
  if (!idle.empty())
    return warn(out, spreading_line,
                fmt::format("topologySpreadConstraints of {} do not select the Deployment's own "
                            "Pods, which they therefore do not spread",
                            fmt::join(idle, ", ")),
                as_the_chart_says(view) + "; or correct topologySpreadConstraints of the values");
  ok(out, spreading_line,
     fmt::format("topologySpreadConstraints are not the chart's: replicas are spread {}",
                 fmt::join(said, "; ")));
}

}  // namespace tpuwh::server::doctor
