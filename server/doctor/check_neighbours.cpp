// Other mutating webhooks that see the same Pods.
#include "server/doctor/check.hpp"
#include "server/doctor/settings_of.hpp"
#include "server/live/installation.hpp"
#include "server/text/json_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>

namespace tpuwh::server::doctor {

namespace {

// Who else writes TPU_WORKER_ID and its like, by what their configurations, webhooks or
// Services are called. Of GKE's own webhook for Jobs no name is published
// (docs/facts.md#gke-own-webhook): a webhook of gke.io with "tpu" in a name is taken for it.
struct Rival {
  const char* who;
  std::vector<std::string> workloads;  // as --workloads names them
  std::function<bool(std::string_view)> is_named;
};

bool has(std::string_view text, std::string_view part) {
  return text.find(part) != text.npos;
}

const std::vector<Rival>& rivals() {
  static const std::vector<Rival> all = {
      {"the KubeRay TPU webhook",
       {"ray"},
       [](std::string_view name) { return has(name, "kuberay-tpu"); }},
      {"gke-tpu-env-injector",
       {"statefulset"},
       [](std::string_view name) { return has(name, "tpu-env-injector"); }},
      {"GKE's TPU webhook",
       {"job", "jobset"},
       [](std::string_view name) {
         return has(name, "gke.io") && has(name, "tpu") && !has(name, "kuberay-tpu");
       }},
  };
  return all;
}

std::string name_of_object(const Json& object) {
  return text::text_member(text::member(object, "metadata"), "name");
}

bool concerns_pods(const Json& configuration) {
  const Json webhooks = text::member(configuration, "webhooks");
  return webhooks.is_array() && std::ranges::any_of(webhooks, sees_new_pods);
}

bool is_of(const Rival& rival, const Json& configuration) {
  if (rival.is_named(name_of_object(configuration))) return true;
  for (const Json& webhook : text::member(configuration, "webhooks")) {
    const Json service = text::member(text::member(webhook, "clientConfig"), "service");
    if (rival.is_named(text::text_member(webhook, "name")) ||
        rival.is_named(text::text_member(service, "name")))
      return true;
  }
  return false;
}

bool serves(const View& view, std::string_view workload) {
  const auto names = handled(view);
  return std::ranges::find(names, workload) != names.end();
}

bool is_asked_again(const View& view) {
  const Json webhooks = text::member(view.configuration.object, "webhooks");
  return webhooks.is_array() && std::ranges::all_of(webhooks, [](const Json& webhook) {
           return text::text_member(webhook, "reinvocationPolicy") == "IfNeeded";
         });
}

void check_order(const View& view, const std::vector<std::string>& later, Checks& out) {
  constexpr auto check = "order";
  if (later.empty()) return ok(out, check, "no other webhook changes Pods after tpu-webhook");
  const std::string who =
      fmt::format("called after tpu-webhook for new Pods: {}", fmt::join(later, ", "));
  if (is_asked_again(view))
    return ok(out, check, who + "; where one changes a Pod, tpu-webhook is called again");
  warn(out, check, who + "; tpu-webhook does not see their changes",
       "set reinvocationPolicy: IfNeeded, as the chart does");
}

void check_rival(const View& view, const Rival& rival, const Json& configuration, Checks& out) {
  const std::string who =
      fmt::format("{} (MutatingWebhookConfiguration {})", rival.who, name_of_object(configuration));
  std::vector<std::string> both;
  for (const std::string& workload : rival.workloads)
    if (serves(view, workload)) both.push_back(workload);
  if (both.empty())
    return ok(
        out, "rival",
        fmt::format("{} serves {}; tpu-webhook does not", who, fmt::join(rival.workloads, ", ")));
  const std::string list = fmt::format("{}", fmt::join(both, ", "));
  warn(out, "rival",
       fmt::format("{} also injects the TPU environment of {} Pods; whichever runs first wins", who,
                   list),
       fmt::format("use one of them: leave {} out of the chart's value workloads "
                   "(--workloads), or remove the other",
                   list));
}

}  // namespace

void check_neighbours(const View& view, Checks& out) {
  if (!view.mutating.there()) return unknown(out, "order", view.mutating.why);
  std::vector<std::string> later;
  for (const Json& each : view.mutating.items)
    if (name_of_object(each) > live::installed_name && concerns_pods(each))
      later.push_back(name_of_object(each));
  check_order(view, later, out);
  bool alone = true;
  for (const Json& each : view.mutating.items)
    for (const Rival& rival : rivals())
      if (name_of_object(each) != live::installed_name && concerns_pods(each) &&
          is_of(rival, each)) {
        alone = false;
        check_rival(view, rival, each, out);
      }
  if (alone) ok(out, "rival", "no other webhook is known to inject a TPU environment");
}

}  // namespace tpuwh::server::doctor
