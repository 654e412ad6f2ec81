// The Deployment and the Pods that it makes, field by field: what no value of the chart chooses.
#include "kubectl/inspect/doctor/check.hpp"
#include "kubectl/inspect/doctor/commands.hpp"
#include "kubectl/inspect/doctor/difference.hpp"
#include "kubectl/inspect/doctor/mending.hpp"
#include "kubectl/inspect/doctor/settings_of.hpp"
#include "kubectl/inspect/running/installation.hpp"
#include "server/limits/memory.hpp"
#include "server/text/duration.hpp"
#include "server/text/json_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <set>
#include <utility>

namespace tpuwh::server::doctor {

namespace {

constexpr auto pods_line = "pods";

// Returns the values that the API server sets in a probe by default.
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

// The user that the chart names where its values name none, and its groups.
constexpr long usual_id = 65532;

// Returns the securityContext to compare with the one of `spec`. The Helm values choose runAsUser,
// runAsGroup and fsGroup, so each number above 0 is copied from `spec`. 0, or something that is not
// a number, becomes `usual_id`, because the chart never renders it. A missing field stays missing,
// because the Helm values can omit it so that a platform such as OpenShift sets the field.
Json wanted_security(const Json& spec) {
  Json out = {{"runAsNonRoot", true}, {"seccompProfile", {{"type", "RuntimeDefault"}}}};
  for (const char* key : {"runAsUser", "runAsGroup", "fsGroup"}) {
    const Json& found = text::member(text::member(spec, "securityContext"), key);
    if (!found.is_null())
      out[key] = found.is_number_integer() && found.get<long>() > 0 ? found : Json(usual_id);
  }
  return out;
}

// Returns terminationGracePeriodSeconds as the chart renders it: the sum of config.drain.delay,
// config.drain.timeout and 5 s. Returns nullopt if the settings are not known. Also returns nullopt
// if a flag of the Deployment sets the delay or the timeout, because the chart ignores flags when
// it computes the sum.
// Source: charts/tpu-webhook/templates/_config.tpl
std::optional<long> wanted_grace(const View& view) {
  const Json& deployment = view.deployment.object;
  if (!settings_known(view) || !argument(deployment, "drain-delay").empty() ||
      !argument(deployment, "drain-timeout").empty())
    return std::nullopt;
  const Json& drain = text::member(view.config.object, "drain");
  std::chrono::milliseconds sum = std::chrono::seconds(5);
  for (const auto& [key, otherwise] : {std::pair("delay", "5s"), std::pair("timeout", "20s")}) {
    const std::string said = text::text_member(drain, key);
    const auto time = text::parse_duration(said.empty() ? otherwise : said);
    if (!time) return std::nullopt;
    sum += *time;
  }
  return std::chrono::ceil<std::chrono::seconds>(sum).count();
}

Json wanted_pod_spec(const View& view) {
  const Json& spec = pod_spec(view.deployment.object);
  Json out = {{"serviceAccountName", running::installed_name},
              {"enableServiceLinks", false},
              {"dnsPolicy", "ClusterFirst"},
              {"securityContext", wanted_security(spec)}};
  if (const auto grace = wanted_grace(view)) out["terminationGracePeriodSeconds"] = *grace;
  return out;
}

// The name of the volume that holds the token of the ServiceAccount.
constexpr std::string_view account_volume = "account";

// A volume of the chart's that the Deployment has, as the chart makes it. Which Secret holds the
// certificate `certificate` looks at.
Json wanted_volume(const View& view, const std::string& name) {
  constexpr int mode = 0440;
  if (name == "config") {
    return {{"name", name},
            {"secret", {{"secretName", "tpu-webhook-config"}, {"defaultMode", mode}}}};
  }
  if (name == account_volume) {
    const Json ca = Json::array({{{"key", "ca.crt"}, {"path", "ca.crt"}}});
    const Json field = {{"apiVersion", "v1"}, {"fieldPath", "metadata.namespace"}};
    const Json own = Json::array({{{"path", "namespace"}, {"fieldRef", field}}});
    return {{"name", name},
            {"projected",
             {{"defaultMode", 0644},
              {"sources",
               {{{"serviceAccountToken", {{"path", "token"}, {"expirationSeconds", 3600}}}},
                {{"configMap", {{"name", "kube-root-ca.crt"}, {"items", ca}}}},
                {{"downwardAPI", {{"items", own}}}}}}}}};
  }
  const Json items = Json::array(
      {{{"key", "tls.crt"}, {"path", "tls.crt"}}, {{"key", "tls.key"}, {"path", "tls.key"}}});
  Json secret = {{"secretName", certificate_secret(view.deployment.object)},
                 {"defaultMode", mode},
                 {"items", items}};
  // The Pods may start before the keeper has written this Secret. If the volume were not optional,
  // the Pods could not start without the Secret.
  if (view.is_kept) secret["optional"] = true;
  return {{"name", name}, {"secret", secret}};
}

// The chart's own of `list`; others are values' (extraVolumes, extraVolumeMounts).
Json of_the_chart(const Json& list) {
  Json out = Json::array();
  for (const Json& each : list)
    if (const auto name = text::text_member(each, "name");
        name == "config" || name == "certificate" || name == account_volume)
      out.push_back(each);
  return out;
}

// Returns the volume with defaultMode as a number. If the Deployment comes from a YAML file and not
// from a cluster, its defaultMode may be the text "0440".
Json with_number(Json volume) {
  if (Json* secret = volume.contains("secret") ? &volume["secret"] : nullptr;
      secret != nullptr && text::member(*secret, "defaultMode") == "0440")
    (*secret)["defaultMode"] = 0440;
  return volume;
}

// Members that values choose, that another check looks at, or that are compared here by themselves.
// Any other that is there was not rendered.
const std::set<std::string>& elsewhere_of_container() {
  static const std::set<std::string> all = {"name", "image", "imagePullPolicy", "args",
                                            "env",  "ports", "resources",       "volumeMounts"};
  return all;
}
const std::set<std::string>& elsewhere_of_spec() {
  static const std::set<std::string> all = {"serviceAccount",
                                            "priorityClassName",
                                            "imagePullSecrets",
                                            "containers",
                                            "volumes",
                                            "nodeSelector",
                                            "tolerations",
                                            "affinity",
                                            "topologySpreadConstraints",
                                            "terminationGracePeriodSeconds",
                                            "dnsConfig"};
  return all;
}
const std::set<std::string>& elsewhere_of_deployment() {
  static const std::set<std::string> all = {"replicas", "selector", "strategy",
                                            "template", "paused",   "minReadySeconds"};
  return all;
}

// Returns whether the value of the field `key` is empty, false, or the default that the API server
// sets for this field.
bool says_nothing(const std::string& key, const Json& value) {
  static const Json defaults = {{"schedulerName", "default-scheduler"},
                                {"restartPolicy", "Always"},
                                {"terminationMessagePath", "/dev/termination-log"},
                                {"terminationMessagePolicy", "File"},
                                {"revisionHistoryLimit", 10},
                                {"progressDeadlineSeconds", 600}};
  return value.is_null() || value == false || text::member(defaults, key) == value ||
         (value.is_structured() && value.empty());
}

// Returns the fields of `found` to compare with `wanted`: the fields that `wanted` also has, and
// the fields that a user added. A field counts as added if its value is neither empty nor a
// default. The fields in `elsewhere` never count as added, because the chart's values choose them
// or other code compares them.
Json part(const Json& found, const Json& wanted, const std::set<std::string>& elsewhere) {
  Json out = Json::object();
  if (!found.is_object()) return out;
  for (const auto& [key, value] : found.items()) {
    if (wanted.contains(key) && !value.is_null())
      out[key] = value;
    else if (!elsewhere.contains(key) && !says_nothing(key, value))
      out[key] = value.is_structured() ? Json("(its content is not shown)") : value;
  }
  return out;
}

// Returns the ports in `ports` that are named https, health or metrics, as the chart renders them.
// If `metrics` has a value, the port named metrics gets the number in this value. All other numbers
// are copied from `ports`, so that the comparison with `ports` accepts any number.
Json wanted_ports(const Json& ports, const std::optional<Port>& metrics) {
  Json out = Json::array();
  for (const Json& each : ports)
    if (const auto name = text::text_member(each, "name");
        name == "https" || name == "health" || name == "metrics")
      out.push_back(
          {{"name", name},
           {"containerPort", name == "metrics" && metrics ? Json(metrics->number)
                                                          : text::member(each, "containerPort")},
           {"protocol", "TCP"}});
  return out;
}

// Returns the volumeMounts that the chart renders for these volumes. The volume with the token is
// mounted at the path where Kubernetes clients expect the token, and every other volume at "/NAME".
Json wanted_mounts(const Json& volumes) {
  Json out = Json::array();
  for (const Json& each : volumes) {
    const std::string name = text::text_member(each, "name");
    out.push_back(
        {{"name", name},
         {"mountPath",
          name == account_volume ? "/var/run/secrets/kubernetes.io/serviceaccount" : "/" + name},
         {"readOnly", true}});
  }
  return out;
}

// Returns the paths of the container fields that the chart omits, so the API server sets their
// defaults. If such a field is edited, `helm upgrade` does not restore it.
const std::set<std::string>& container_defaults() {
  static const std::set<std::string> all = {"ports[https].protocol",
                                            "ports[health].protocol",
                                            "ports[metrics].protocol",
                                            "readinessProbe.httpGet.scheme",
                                            "readinessProbe.initialDelaySeconds",
                                            "readinessProbe.timeoutSeconds",
                                            "readinessProbe.successThreshold",
                                            "readinessProbe.failureThreshold",
                                            "livenessProbe.httpGet.scheme",
                                            "livenessProbe.periodSeconds",
                                            "livenessProbe.successThreshold",
                                            "livenessProbe.failureThreshold"};
  return all;
}

std::vector<Difference> differences_of_container(const Json& container, const Json& spec,
                                                 const std::optional<Port>& metrics) {
  Json found = part(container, wanted_container(), elsewhere_of_container());
  for (const char* key : {"readinessProbe", "livenessProbe"})
    if (found.contains(key)) found[key] = filled(found[key], probe_defaults());
  Json wanted = wanted_container();
  const Json& said = text::member(container, "ports");
  const Json ports = said.is_array() ? said : Json::array();
  found["ports"] = filled(ports, Json::array({{{"protocol", "TCP"}}}));
  wanted["ports"] = wanted_ports(ports, metrics);
  const Json mounts = of_the_chart(text::member(container, "volumeMounts"));
  found["volumeMounts"] = mounts;
  wanted["volumeMounts"] = wanted_mounts(of_the_chart(text::member(spec, "volumes")));
  return differences(found, wanted);
}

std::vector<Difference> differences_of_spec(const View& view) {
  const Json& spec = pod_spec(view.deployment.object);
  Json wanted = wanted_pod_spec(view);
  Json found = part(spec, wanted, elsewhere_of_spec());
  if (!found.contains("dnsPolicy")) found["dnsPolicy"] = "ClusterFirst";
  found["containers"] = wanted["containers"] = found["volumes"] = wanted["volumes"] = Json::array();
  for (const Json& each : text::member(spec, "containers"))
    found["containers"].push_back({{"name", text::text_member(each, "name")}});
  wanted["containers"].push_back({{"name", running::installed_name}});
  for (const Json& each : of_the_chart(text::member(spec, "volumes"))) {
    found["volumes"].push_back(with_number(each));
    wanted["volumes"].push_back(wanted_volume(view, text::text_member(each, "name")));
  }
  return differences(found, wanted);
}

std::vector<Difference> differences_of_deployment(const View& view) {
  return differences(
      part(text::member(view.deployment.object, "spec"), Json::object(), elsewhere_of_deployment()),
      Json::object());
}

// The number that a probe asks at; 0 where no container has a port of that name.
int probed(const Json& pod, const Json& container, const char* which) {
  const Json& port = text::member(text::member(text::member(container, which), "httpGet"), "port");
  if (port.is_number_integer()) return port.get<int>();
  return port.is_string() ? container_port(pod, port.get<std::string>()) : -1;
}

// Returns a fault of the Deployment that prevents its Pods from becoming ready, or that makes the
// kubelet restart them. Returns "" if there is no such fault.
std::string why_never_ready(const View& view) {
  const Json& pod = pod_template(view.deployment.object);
  const Json& container = own_container(pod);
  if (container.is_null()) return fmt::format("it has no container {}", running::installed_name);
  const Json& args = text::member(container, "args");
  if (!args.is_array() || args.empty() || args[0] != "serve")
    return "args do not begin with \"serve\"";
  const auto health = health_port(view);
  for (const char* which : {"readinessProbe", "livenessProbe"}) {
    const int port = probed(pod, container, which);
    if (port == 0) return fmt::format("its {} calls a port that no container has", which);
    if (health && port > 0 && health->number != port)
      return fmt::format("its {} calls port {}, but the program answers at {} ({})", which, port,
                         health->number, health->from);
  }
  return {};
}

bool has_token(const Json& spec) {
  const Json& volumes = text::member(spec, "volumes");
  return text::member(spec, "automountServiceAccountToken") != false ||
         std::any_of(volumes.begin(), volumes.end(), [](const Json& each) {
           return text::text_member(each, "name") == account_volume;
         });
}

std::string without_a_token(const View& view) {
  if (!settings_known(view) || !needs_api_server(view) ||
      has_token(pod_spec(view.deployment.object)))
    return {};
  return "its Pods mount no ServiceAccount token, but enabled features need a token to call the "
         "API server";
}

// The most that the program needs (server/limits/memory.hpp), which the chart asks for.
std::size_t most_memory(const View& view) {
  using namespace limits::memory;
  return program + callers(limits::threads) + (needs_api_server(view) ? cluster : 0);
}

// Returns the sentence that `doctor` prints for a Deployment without faults. The sentence names
// three choices of the chart's values: the priority class, the memory limit, and whether the Pods
// have a ServiceAccount token.
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
      has_token(spec) ? "the" : "no");
}

// Returns the strategy that `doctor` advises if the Deployment's strategy is not RollingUpdate.
// With Recreate, for example, no replica answers while the Pods are replaced. The values of
// maxSurge and maxUnavailable are not checked.
Json wanted_strategy() {
  return {{"type", "RollingUpdate"}, {"rollingUpdate", {{"maxSurge", 1}, {"maxUnavailable", 0}}}};
}

std::string strategy_type(const View& view) {
  const Json& said = text::member(text::member(view.deployment.object, "spec"), "strategy");
  const std::string type = text::text_member(said, "type");
  return type.empty() ? "RollingUpdate" : type;
}

}  // namespace

void check_template(const View& view, Checks& out) {
  if (!view.deployment.there()) return;
  const Json& pod = pod_template(view.deployment.object);
  const Json& spec = text::member(pod, "spec");
  const Json& container = own_container(pod);
  const std::string name = fmt::format("Deployment {}/{}", view.ns, running::installed_name);
  const std::string part = "/spec/template/spec";
  Mending mending(view, view.deployment.object, "deployment tpu-webhook", view.ns);
  if (const auto why = why_never_ready(view); !why.empty()) {
    const Json& containers = text::member(spec, "containers");
    if (container.is_null() && containers.size() == 1)
      mending.replace(part + "/containers/0/name", running::installed_name);
    mending.render();
    return fail(out, pods_line, fmt::format("{}: {}: no replica stays ready", name, why),
                argument(view.deployment.object, "health-listen").empty()
                    ? mending.command()
                    : without_argument(view, "health-listen"));
  }
  if (const auto why = without_a_token(view); !why.empty())
    return fail(out, pods_line, fmt::format("{}: {}", name, why), put_back(view));
  auto all = differences_of_spec(view);
  mending.add(part, all, {"dnsPolicy"});
  const auto of_program = differences_of_container(container, spec, metrics_port(view));
  const Json& containers = text::member(spec, "containers");
  const auto index =
      std::find(containers.begin(), containers.end(), container) - containers.begin();
  mending.add(fmt::format("{}/containers/{}", part, index), of_program, container_defaults());
  all.insert(all.end(), of_program.begin(), of_program.end());
  const auto of_deployment = differences_of_deployment(view);
  mending.add("/spec", of_deployment);
  all.insert(all.end(), of_deployment.begin(), of_deployment.end());
  if (const std::string type = strategy_type(view); type != "RollingUpdate") {
    // Helm would put rollingUpdate into a strategy of another type, which no API server takes.
    mending.replace("/spec/strategy", wanted_strategy());
    all.push_back({.path = "strategy.type", .found = type, .wanted = "RollingUpdate"});
  }
  if (!all.empty())
    return warn(out, pods_line,
                fmt::format("{} is not as the chart renders it: {}", name, sentences(all)),
                mending.command());
  ok(out, pods_line, chosen(view));
}

}  // namespace tpuwh::server::doctor
