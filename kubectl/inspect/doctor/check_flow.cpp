// The priority level of what the program asks the API server.
#include "kubectl/inspect/doctor/check.hpp"
#include "kubectl/inspect/doctor/commands.hpp"
#include "kubectl/inspect/doctor/difference.hpp"
#include "kubectl/inspect/doctor/mending.hpp"
#include "kubectl/inspect/doctor/settings_of.hpp"
#include "kubectl/inspect/running/installation.hpp"
#include "kubectl/objects/json_path.hpp"
#include "server/text/json_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace tpuwh::server::doctor {

namespace {

constexpr auto flow_line = "flow-schema";
// charts/tpu-webhook/values.yaml, flowSchema.priorityLevel; one of those that each API server has.
constexpr auto usual_level = "workload-high";

// charts/tpu-webhook/templates/flowschema.yaml, without the level, which a value says.
Json wanted_schema(const View& view) {
  const Json subject = {
      {"kind", "ServiceAccount"},
      {"serviceAccount", {{"name", running::installed_name}, {"namespace", view.ns}}}};
  const Json resources = {{"apiGroups", {"*"}},
                          {"resources", {"*"}},
                          {"verbs", {"*"}},
                          {"clusterScope", true},
                          {"namespaces", {"*"}}};
  return {{"matchingPrecedence", 1000},
          {"distinguisherMethod", {{"type", "ByUser"}}},
          {"rules", Json::array({{{"subjects", Json::array({subject})},
                                  {"resourceRules", Json::array({resources})}}})}};
}

std::string level_of(const Json& schema) {
  return text::text_member(text::member(text::member(schema, "spec"), "priorityLevelConfiguration"),
                           "name");
}

// Those that each API server makes, and makes again.
// source: k8s.io/apiserver pkg/apis/flowcontrol/bootstrap, v0.36 (read 2026-11)
bool is_every_servers(const std::string& level) {
  constexpr std::string_view all[] = {"exempt",       "catch-all",     "leader-election",
                                      "node-high",    "system",        "workload-high",
                                      "workload-low", "global-default"};
  return std::ranges::find(all, level) != std::end(all);
}

// By the API server itself, or by what there is.
bool is_dangling(const View& view) {
  const Json& dangling = objects::condition(view.flow_schema.object, "Dangling");
  return text::text_member(dangling, "status") == "True" ||
         view.priority_level.found == Found::absent;
}

}  // namespace

void check_flow(const View& view, Checks& out) {
  if (!view.deployment.there()) return;
  if (view.flow_schema.found == Found::absent)
    return ok(
        out, flow_line,
        needs_api_server(view)
            ? "no FlowSchema tpu-webhook: the program's requests to the API server are in the "
              "queue of all ServiceAccounts"
            : "no FlowSchema tpu-webhook, and the program sends no requests to the API server");
  if (!view.flow_schema.there()) return unknown(out, flow_line, view.flow_schema.why);
  const std::string level = level_of(view.flow_schema.object);
  if (level.empty() || is_dangling(view))
    return warn(
        out, flow_line,
        fmt::format("FlowSchema tpu-webhook names {}: the program's requests to the API server are "
                    "in the queue of all",
                    level.empty() ? std::string("no priority level")
                                  : fmt::format("priority level {}, which does not exist", level)),
        with_values(view, {fmt::format("--set flowSchema.priorityLevel={}", usual_level)}));
  Json found = text::member(view.flow_schema.object, "spec");  // an object: it names a level
  found.erase("priorityLevelConfiguration");
  const auto all = differences(found, wanted_schema(view));
  if (!all.empty())
    return warn_of_spec(view, out, flow_line, view.flow_schema.object, "FlowSchema",
                        running::installed_name, "", all);
  if (!view.priority_level.there() && !is_every_servers(level))
    return unknown(out, flow_line, view.priority_level.why);
  const bool unlimited =
      level == "exempt" ||
      text::text_member(text::member(view.priority_level.object, "spec"), "type") == "Exempt";
  ok(out, flow_line,
     fmt::format("the program's requests to the API server are of priority level {}{}", level,
                 unlimited ? ", which nothing limits" : ""));
}

}  // namespace tpuwh::server::doctor
