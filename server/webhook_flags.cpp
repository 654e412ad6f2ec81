#include "server/webhook_flags.hpp"

#include <CLI/CLI.hpp>

namespace tpuwh::server {

void add_webhook_flags(CLI::App& command, webhook::Config& config) {
  command.add_option("--base-port", config.base_port, "Port of process 0 in TPU_PROCESS_ADDRESSES")
      ->check(CLI::Range(1, 65535))
      ->type_name("PORT")
      ->capture_default_str();
  command.add_flag("--kuberay-truncated-service", config.kuberay_truncates_service_name,
                   "Name the Ray head's service as KubeRay up to 1.3 does");
  command.add_flag("--tpu-name-everywhere", config.tpu_name_everywhere,
                   "Set TPU_NAME for every workload, not for Ray and LeaderWorkerSet alone");
  command.add_flag_callback(
      "--no-placement", [&config] { config.place = false; },
      "Add no affinity terms that keep a slice on one node pool");
}

}  // namespace tpuwh::server
