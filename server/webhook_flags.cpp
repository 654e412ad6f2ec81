#include "server/webhook_flags.hpp"

#include "server/flags.hpp"
#include "webhook/names.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <optional>
#include <string>

namespace tpuwh::server {

namespace {

// "tpu-webhook.dev" -> "tpu-webhook.dev/"
std::optional<std::string> parse_prefix(const std::string& text) {
  if (!webhook::is_qualified_name(text + "/x")) return std::nullopt;
  return text + "/";
}

}  // namespace

void add_prefix_flag(CLI::App& command, std::string& prefix) {
  add_parsed(command, "--annotation-prefix", prefix, parse_prefix,
             "a DNS name such as tpu.example.com",
             "In front of this webhook's annotations and labels")
      ->type_name("DOMAIN")
      ->default_str(prefix.substr(0, prefix.size() - 1));
}

void add_webhook_flags(CLI::App& command, webhook::Config& config) {
  command.add_option("--base-port", config.base_port, "Port of process 0 in TPU_PROCESS_ADDRESSES")
      ->check(CLI::Range(1, 65535))
      ->type_name("PORT")
      ->capture_default_str();
  command.add_flag(
      "--kuberay-truncated-service", config.kuberay_truncates_service_name,
      "Name the Service of Ray workers as KubeRay up to 1.3 does: its last 50 characters");
  command.add_flag("--tpu-name-everywhere", config.tpu_name_everywhere,
                   "Set TPU_NAME for every workload, not for Ray and LeaderWorkerSet alone");
  command.add_flag_callback(
      "--no-placement", [&config] { config.place = false; },
      "Add no affinity terms that keep a slice on one node pool");
  add_prefix_flag(command, config.prefix);
}

}  // namespace tpuwh::server
