// The Pods that the Deployment makes, field by field: what no value of the chart chooses.
#include "server/doctor/check.hpp"
#include "server/doctor/commands.hpp"
#include "server/doctor/difference.hpp"
#include "server/doctor/mending.hpp"
#include "server/doctor/settings_of.hpp"
#include "server/limits/memory.hpp"
#include "server/live/installation.hpp"
#include "server/text/json_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace tpuwh::server::doctor {

namespace {

constexpr auto pods_line = "pods";

// What an API server fills in where nothing is said.
const Json& probe_defaults() {
  static const Json defaults = {{"httpGet", {{"scheme", "HTTP"}}},
                                {"initialDelaySeconds", 0},
                                {"timeoutSeconds", 1},
                                {"periodSeconds", 10},
                                {"successThreshold", 1},
                                {"failureThreshold", 3}};
  return defaults;
}

Json probe(const char* path, const Json& more) {
  Json out = {{"httpGet", {{"path", path}, {"port", "health"}}}};
  out.update(more);
  return filled(out, probe_defaults());
}

// charts/tpu-webhook/templates/deployment.yaml
const Json& wanted_container() {
  static const Json wanted = {
      {"readinessProbe", probe("/readyz", {{"periodSeconds", 2}})},
      {"livenessProbe", probe("/livez", {{"initialDelaySeconds", 5}, {"timeoutSeconds", 5}})},
      {"securityContext",
       {{"allowPrivilegeEscalation", false},
        {"readOnlyRootFilesystem", true},
        {"capabilities", {{"drop", {"ALL"}}}}}}};
  return wanted;
}

const Json& wanted_pod_spec() {
  static const Json wanted = {{"serviceAccountName", live::installed_name},
                              {"enableServiceLinks", false},
                              {"dnsPolicy", "ClusterFirst"},
                              {"securityContext",
                               {{"runAsNonRoot", true},
                                {"runAsUser", 65532},
                                {"runAsGroup", 65532},
                                {"fsGroup", 65532},
                                {"seccompProfile", {{"type", "RuntimeDefault"}}}}}};
  return wanted;
}

// Members that the chart never writes, and that change what the program is or sees.
constexpr const char* none_of_container[] = {"command", "startupProbe", "lifecycle", "workingDir",
                                             "envFrom", "stdin",        "tty"};
constexpr const char* none_of_spec[] = {"hostNetwork",
                                        "hostPID",
                                        "hostIPC",
                                        "hostAliases",
                                        "dnsConfig",
                                        "initContainers",
                                        "hostname",
                                        "hostUsers",
                                        "runtimeClassName",
                                        "nodeName",
                                        "schedulerName",
                                        "shareProcessNamespace",
                                        "activeDeadlineSeconds"};

// Of `found` what `wanted` says, and what nobody writes.
template <class Names>
Json part(const Json& found, const Json& wanted, const Names& none) {
  Json out = Json::object();
  for (const auto& [key, value] : wanted.items())
    if (const Json& each = text::member(found, key); !each.is_null()) out[key] = each;
  for (const char* key : none)
    if (const Json& each = text::member(found, key); !each.is_null() && each != false &&
                                                     each != "default-scheduler" &&
                                                     !(each.is_array() && each.empty()))
      out[key] = each.is_boolean() ? each : Json("(what it says is not shown)");
  return out;
}

std::vector<Difference> differences_of_container(const Json& container) {
  Json found = part(container, wanted_container(), none_of_container);
  for (const char* key : {"readinessProbe", "livenessProbe"})
    if (found.contains(key)) found[key] = filled(found[key], probe_defaults());
  return differences(found, wanted_container());
}

std::vector<Difference> differences_of_spec(const Json& spec) {
  Json found = part(spec, wanted_pod_spec(), none_of_spec);
  if (!found.contains("dnsPolicy")) found["dnsPolicy"] = "ClusterFirst";
  return differences(found, wanted_pod_spec());
}

// The number that a probe asks at; 0 where no container has a port of that name.
int probed(const Json& pod, const Json& container, const char* which) {
  const Json& port = text::member(text::member(text::member(container, which), "httpGet"), "port");
  if (port.is_number_integer()) return port.get<int>();
  return port.is_string() ? container_port(pod, port.get<std::string>()) : -1;
}

// What keeps replicas from ever being ready, or has them restarted.
std::string why_never_ready(const View& view) {
  const Json& pod = pod_template(view.deployment.object);
  const Json& container = own_container(pod);
  if (container.is_null()) return fmt::format("it has no container {}", live::installed_name);
  const Json& args = text::member(container, "args");
  if (!args.is_array() || args.empty() || args[0] != "serve")
    return "args do not begin with \"serve\"";
  const auto health = health_port(view);
  for (const char* which : {"readinessProbe", "livenessProbe"}) {
    const int port = probed(pod, container, which);
    if (port == 0) return fmt::format("its {} asks at a port that no container has", which);
    if (health && port > 0 && health->number != port)
      return fmt::format("its {} asks at port {}, and the program answers at {} ({})", which, port,
                         health->number, health->from);
  }
  return {};
}

std::string without_a_token(const View& view) {
  if (!settings_known(view) || !needs_api_server(view)) return {};
  if (text::member(pod_spec(view.deployment.object), "automountServiceAccountToken") != false)
    return {};
  return "automountServiceAccountToken is false, so that the program cannot ask the API server, "
         "which its settings tell it to";
}

// The most that the program needs (server/limits/memory.hpp), which the chart asks for.
std::size_t most_memory(const View& view) {
  using namespace limits::memory;
  return program + callers(limits::threads) + (needs_api_server(view) ? cluster : 0);
}

// What values choose.
std::string chosen(const View& view) {
  const Json& spec = pod_spec(view.deployment.object);
  const std::string priority = text::text_member(spec, "priorityClassName");
  const Json& limits = text::member(
      text::member(own_container(pod_template(view.deployment.object)), "resources"), "limits");
  const std::string memory = text::text_member(limits, "memory");
  return fmt::format(
      "the Deployment's Pods are as the chart renders them, of priority class {}, with {} for "
      "memory (the program needs {} MiB at most) and {} token of their account",
      priority.empty() ? "none (the cluster's default)" : priority,
      memory.empty() ? "no limit" : "limit " + memory, most_memory(view) / limits::memory::mib,
      text::member(spec, "automountServiceAccountToken") == false ? "no" : "the");
}

// Nobody answers while all Pods of a Recreate are anew.
Json wanted_strategy() {
  return {{"type", "RollingUpdate"}, {"rollingUpdate", {{"maxSurge", 1}, {"maxUnavailable", 0}}}};
}

Json found_strategy(const View& view) {
  const Json& said = text::member(text::member(view.deployment.object, "spec"), "strategy");
  Json out = said.is_object() ? said : Json::object();
  if (!out.contains("type")) out["type"] = "RollingUpdate";
  return out;
}

}  // namespace

void check_template(const View& view, Checks& out) {
  if (!view.deployment.there()) return;
  const Json& pod = pod_template(view.deployment.object);
  const Json& spec = text::member(pod, "spec");
  const Json& container = own_container(pod);
  const std::string name = fmt::format("Deployment {}/{}", view.ns, live::installed_name);
  const std::string part = "/spec/template/spec";
  Mending mending(view, view.deployment.object, "deployment tpu-webhook", view.ns);
  if (const auto why = why_never_ready(view); !why.empty()) {
    const Json& containers = text::member(spec, "containers");
    if (container.is_null() && containers.size() == 1)
      mending.replace(part + "/containers/0/name", live::installed_name);
    mending.render();
    return fail(out, pods_line, fmt::format("{}: {}: no replica stays ready", name, why),
                argument(view.deployment.object, "health-listen").empty()
                    ? mending.command()
                    : without_argument(view, "health-listen"));
  }
  if (const auto why = without_a_token(view); !why.empty())
    return fail(out, pods_line, fmt::format("{}: {}", name, why), put_back(view));
  auto all = differences_of_spec(spec);
  mending.add(part, all, {"dnsPolicy"});
  const auto of_program = differences_of_container(container);
  const Json& containers = text::member(spec, "containers");
  const auto index =
      std::find(containers.begin(), containers.end(), container) - containers.begin();
  mending.add(fmt::format("{}/containers/{}", part, index), of_program);
  all.insert(all.end(), of_program.begin(), of_program.end());
  for (Difference& each :
       differences({{"strategy", found_strategy(view)}}, {{"strategy", wanted_strategy()}})) {
    // Helm would put rollingUpdate into a strategy of another type, which no API server takes.
    if (each.path == "strategy.type")
      mending.replace("/spec/strategy", wanted_strategy());
    else
      mending.render();
    all.push_back(std::move(each));
  }
  if (!all.empty())
    return warn(out, pods_line,
                fmt::format("{} is not as the chart renders it: {}", name, sentences(all)),
                mending.command());
  ok(out, pods_line, chosen(view));
}

}  // namespace tpuwh::server::doctor
