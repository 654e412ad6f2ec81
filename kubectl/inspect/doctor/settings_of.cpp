#include "kubectl/inspect/doctor/settings_of.hpp"

#include "base/names.hpp"
#include "base/result.hpp"
#include "kubectl/inspect/doctor/entries.hpp"
#include "kubectl/inspect/doctor/layout.hpp"
#include "kubectl/text/base64.hpp"
#include "kubectl/text/yaml.hpp"
#include "server/settings/layers.hpp"
#include "server/settings/table.hpp"
#include "server/text/json_text.hpp"
#include "webhook/workloads/table.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tpuwh::server::doctor {

namespace {

// In the order of --workloads.
const std::vector<std::string>& all_workloads() {
  static const std::vector<std::string> all = [] {
    std::vector<std::string> out;
    for (std::size_t i = 0; i < webhook::config::workload_kinds; ++i)
      out.emplace_back(
          webhook::workloads::row_of(static_cast<webhook::config::WorkloadKind>(i)).name);
    return out;
  }();
  return all;
}

// The volume that is mounted at `folder`; "" if none is.
std::string volume_at(const Json& spec, std::string_view folder) {
  for (const Json& container : text::member(spec, "containers"))
    for (const Json& mount : text::member(container, "volumeMounts"))
      if (text::text_member(mount, "mountPath") == folder) return text::text_member(mount, "name");
  return {};
}

// Returns the known names of workload APIs in the value of the setting `workloads`: a text such as
// "job,ray", or a list. Unknown names are left out, because `doctor` prints the names in commands,
// and a user who may write the Deployment can write any text into this setting.
std::vector<std::string> workloads_in(const Json& value) {
  std::vector<std::string> names;
  if (value.is_array())
    for (const Json& each : value)
      if (each.is_string()) names.push_back(each.get<std::string>());
  const std::string list = value.is_string() ? value.get<std::string>() : std::string();
  for (std::size_t begin = 0; begin < list.size();) {
    const std::size_t end = std::min(list.find(',', begin), list.size());
    if (end > begin) names.push_back(list.substr(begin, end - begin));
    begin = end + 1;
  }
  std::erase_if(names, [](const std::string& each) {
    return std::ranges::find(all_workloads(), each) == all_workloads().end();
  });
  return names;
}

// The words of "ray.pods.tpu-webhook.dev" are names of workload APIs; "pods.tpu-webhook.dev" alone
// is one entry for all.
std::vector<std::string> by_entries(const View& view) {
  const auto named = [](const Json& entry) {
    const std::string workload = workload_of(entry);
    return !workload.empty() && workload != "pod";
  };
  const Json& entries = all_entries(view.configuration.object);
  std::vector<std::string> names = all_workloads();
  if (std::none_of(entries.begin(), entries.end(), named)) return names;
  const auto config = layout_of(view);
  std::erase_if(names, [&](const std::string& each) {
    return !config.workloads.has(webhook::workloads::row_of(each).kind);
  });
  return names;
}

// "tls.secret" is "--tls-secret", as the table of settings has it.
std::string flag_of(const std::string& name) {
  std::string flag;
  for (const char c : name) flag += c == '.' ? '-' : c;
  return flag;
}

Json value_of(const View& view, const std::string& name) {
  const std::string flag = argument(view.deployment.object, flag_of(name));
  if (!flag.empty()) return flag;
  if (!view.config.there()) return {};
  const std::size_t dot = name.find('.');
  if (dot == name.npos) return text::member(view.config.object, name);
  return text::member(text::member(view.config.object, name.substr(0, dot)), name.substr(dot + 1));
}

// If the argument is a flag that turns a boolean setting on or off, sets that setting in `options`.
void set_switch(const std::string& argument, settings::ServeOptions& options) {
  for (const settings::Setting& each : settings::settings())
    if (each.shape == settings::Shape::boolean && !each.flag.empty()) {
      const bool on = argument == each.flag || argument == each.flag + "=true";
      if (on || argument == each.flag + "=false" ||
          (!each.negation.empty() && argument == each.negation))
        each.set(options, {}, on);
    }
}

// The number of "ADDR:PORT".
int port_of(const std::string& address) {
  const std::size_t colon = address.rfind(':');
  return static_cast<int>(
      base::plain_decimal(colon == address.npos ? address : address.substr(colon + 1)).value_or(0));
}

std::optional<Port> port_by(const View& view, const char* flag, const char* key, int otherwise) {
  const std::string by_flag = argument(view.deployment.object, flag);
  if (!by_flag.empty()) return Port{port_of(by_flag), fmt::format("--{}", flag)};
  if (!settings_known(view)) return std::nullopt;
  const std::string by_file = text::text_member(view.config.object, key);
  if (by_file.empty()) return Port{otherwise, "its default"};
  return Port{port_of(by_file), fmt::format("{} in its configuration file", key)};
}

}  // namespace

std::optional<MountedFile> mounted_config(const Json& deployment) {
  const std::string path = argument(deployment, "config");
  const std::size_t slash = path.rfind('/');
  if (slash == path.npos) return std::nullopt;
  const Json& spec = pod_spec(deployment);
  const std::string volume = volume_at(spec, path.substr(0, slash));
  for (const Json& each : text::member(spec, "volumes")) {
    if (volume.empty() || text::text_member(each, "name") != volume) continue;
    const std::string secret = text::text_member(text::member(each, "secret"), "secretName");
    const std::string map = text::text_member(text::member(each, "configMap"), "name");
    if (secret.empty() && map.empty()) continue;
    return MountedFile{.kind = secret.empty() ? "ConfigMap" : "Secret",
                       .name = secret.empty() ? map : secret,
                       .key = path.substr(slash + 1)};
  }
  return std::nullopt;
}

namespace {

// Returns the text of a file that is mounted from the ConfigMap or Secret `object`. Returns nullopt
// if the data of a Secret is not base64.
std::optional<std::string> plain_text(const MountedFile& file, const Read& object) {
  const std::string text = text::text_member(text::member(object.object, "data"), file.key);
  return file.kind == "Secret" ? text::decode_base64(text) : std::optional(text);
}

}  // namespace

std::string text_of(const MountedFile& file, const Read& object) {
  return object.there() ? plain_text(file, object).value_or("") : std::string();
}

Read config_of(const MountedFile& file, const Read& object) {
  const std::string named = file.kind + " " + file.name;
  if (object.found == Found::absent) return not_known("there is no " + named);
  if (!object.there()) return not_known(object.why);
  const auto plain = plain_text(file, object);
  const auto read = plain ? text::parse_yaml(*plain)
                          : Result<std::vector<Json>>(bad_value("it is not valid base64"));
  if (!read) return not_known(fmt::format("{} of {}: {}", file.key, named, read.error().message()));
  return {
      .found = Found::there, .object = read->empty() ? Json::object() : read->front(), .why = {}};
}

bool settings_known(const View& view) {
  return view.deployment.there() && view.config.found != Found::unknown;
}

std::string setting(const View& view, const std::string& name) {
  const Json value = value_of(view, name);
  return value.is_string() ? value.get<std::string>() : std::string();
}

kube::cluster::Features features_of(const View& view) {
  const auto file = settings::parse_config(text::dump_json(view.config.object), "");
  settings::ServeOptions options = settings::combine(file.given).options;
  for (const Json& each : text::member(own_container(pod_template(view.deployment.object)), "args"))
    if (each.is_string()) set_switch(each.get<std::string>(), options);
  options.webhook.workloads = {};
  for (const std::string& each : handled(view))
    options.webhook.workloads.add(webhook::workloads::row_of(each).kind);
  const std::string ledger = setting(view, "ledger");
  return kube::cluster::features_of(options.webhook, ledger != "none" && ledger != "memory");
}

bool needs_api_server(const View& view) {
  return features_of(view).any();
}

std::optional<Port> https_port(const View& view) {
  return port_by(view, "listen", "listen", 8443);
}

std::optional<Port> health_port(const View& view) {
  return port_by(view, "health-listen", "healthListen", 0);
}

std::optional<Port> metrics_port(const View& view) {
  return port_by(view, "metrics-listen", "metricsListen", 0);
}

std::vector<std::string> handled(const View& view) {
  std::vector<std::string> names = workloads_in(value_of(view, "workloads"));
  if (names.empty() && !settings_known(view)) names = by_entries(view);
  return names.empty() ? all_workloads() : names;
}

std::optional<bool> in_shadow(const View& view, std::string_view workload) {
  if (!settings_known(view)) return std::nullopt;
  const Json own = text::member(
      text::member(text::member(view.config.object, "perWorkload"), std::string(workload)), "mode");
  return (own.is_string() ? own.get<std::string>() : setting(view, "mode")) == "shadow";
}

}  // namespace tpuwh::server::doctor
