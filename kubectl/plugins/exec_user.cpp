#include "kubectl/plugins/exec_user.hpp"

#include "base/names.hpp"
#include "kubectl/plugins/exec_plugin.hpp"
#include "server/text/base64.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tpuwh::server::plugins {

namespace {

using base::printable;
using kube::access::ApiConfig;
using kube::access::Credentials;
using kube::access::KubeconfigFields;

std::optional<Error> read_args(const KubeconfigFields& exec, std::vector<std::string>& args) {
  const Json* list = exec.value("args");
  if (!list) return std::nullopt;
  const bool right = list->is_array() &&
                     std::ranges::all_of(*list, [](const Json& item) { return item.is_string(); });
  if (!right) return exec.wrong("args", "expected a list of strings");
  for (const Json& item : *list) args.push_back(item.get<std::string>());
  return std::nullopt;
}

std::optional<Error> read_env(const KubeconfigFields& exec,
                              std::vector<std::pair<std::string, std::string>>& env) {
  const Json* list = exec.value("env");
  if (!list) return std::nullopt;
  if (!list->is_array())
    return exec.wrong("env",
                      fmt::format("expected a list of {{name, value}}, got {}", list->type_name()));
  for (std::size_t i = 0; i < list->size(); ++i) {
    KubeconfigFields item = exec.at(fmt::format("env/{}", i));
    env.emplace_back(item.text("name"), item.text("value"));
    if (item.error()) return item.error();
  }
  return std::nullopt;
}

// As client-go's ExecCredential.spec.cluster has it.
Json cluster_info(const KubeconfigFields& cluster, const ApiConfig& config) {
  Json info;
  info["server"] = *cluster.value("server");
  if (cluster.has("tls-server-name")) info["tls-server-name"] = config.tls_name;
  if (config.insecure) info["insecure-skip-tls-verify"] = true;
  if (!config.ca_pem.empty())
    info["certificate-authority-data"] = text::encode_base64(config.ca_pem);
  if (const auto* extensions = cluster.value("extensions"); extensions && extensions->is_array())
    for (const auto& each : *extensions)
      if (each.is_object() && each.value("name", Json()) == exec_extension &&
          each.contains("extension"))
        info["config"] = each["extension"];
  return info;
}

}  // namespace

Result<std::shared_ptr<Credentials>> exec_credentials(KubeconfigFields exec,
                                                      const KubeconfigFields& cluster,
                                                      const ApiConfig& config) {
  ExecPlugin::Options options;
  options.command = exec.text("command");
  if (options.command.find('/') != std::string::npos)
    options.command = exec.resolved(options.command);
  options.api_version = exec.text("apiVersion");
  options.install_hint = exec.text("installHint");
  options.where = exec.place();
  const std::string mode = exec.text("interactiveMode");
  if (exec.flag("provideClusterInfo")) options.cluster = cluster_info(cluster, config);
  if (exec.error()) return *exec.error();
  if (auto wrong = read_args(exec, options.args)) return *wrong;
  if (auto wrong = read_env(exec, options.env)) return *wrong;
  if (options.command.empty())
    return exec.wrong("command", "is missing; expected the plugin's path");
  if (!is_exec_version(options.api_version))
    return exec.wrong(
        "apiVersion",
        fmt::format("is \"{}\"; expected {}", printable(options.api_version), exec_versions_text));
  if (mode == "Always")
    return exec.wrong(
        "interactiveMode",
        "is Always, but plugins run without a terminal; expected Never or IfAvailable, or a token");
  if (!mode.empty() && mode != "Never" && mode != "IfAvailable")
    return exec.wrong(
        "interactiveMode",
        fmt::format("is \"{}\"; expected Never, IfAvailable or Always", printable(mode)));
  return std::shared_ptr<Credentials>(std::make_shared<ExecPlugin>(std::move(options)));
}

}  // namespace tpuwh::server::plugins
