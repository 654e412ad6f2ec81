#include "server/webhook_flags.hpp"

#include "server/flags.hpp"
#include "webhook/names.hpp"
#include "webhook/workloads/table.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <optional>
#include <string>

namespace tpuwh::server {

namespace {

// "tpu-webhook.dev" -> "tpu-webhook.dev/"
std::optional<std::string> parse_prefix(const std::string& text) {
  if (!webhook::is_qualified_name(text + "/x")) return std::nullopt;
  return text + "/";
}

std::string workload_names() {
  std::string names;
  for (const webhook::Workload& workload : webhook::workloads())
    names += fmt::format("{}{}", names.empty() ? "" : ",", workload.name);
  return names;
}

// "jobset,ray"
std::optional<webhook::WorkloadSet> parse_workloads(std::string_view text) {
  webhook::WorkloadSet set;
  while (true) {
    const auto name = text.substr(0, text.find(','));
    const auto known = webhook::workloads();
    const auto found = std::ranges::find(known, name, &webhook::Workload::name);
    if (found == known.end()) return std::nullopt;
    set.add(found->kind);
    if (name.size() == text.size()) return set;
    text.remove_prefix(name.size() + 1);
  }
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
  add_choice<webhook::Mode>(
      command, "--mode", config.mode,
      {{"enforce", webhook::Mode::enforce}, {"shadow", webhook::Mode::shadow}},
      "shadow: decide, log and warn, but allow every Pod unchanged");
  add_parsed(command, "--workloads", config.workloads, parse_workloads,
             "names out of " + workload_names(), "Workload APIs to look after; Pods of others stay")
      ->type_name("NAME,...")
      ->default_str(workload_names());
}

}  // namespace tpuwh::server
