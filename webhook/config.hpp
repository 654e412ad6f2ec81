// What an operator may choose about decisions. A value, passed to every call.
#pragma once

#include "webhook/workloads/kind.hpp"

#include <cstdint>
#include <string>

namespace tpuwh::webhook {

enum class Mode {
  enforce,
  // Decide, log, warn of what would have been done, and allow every Pod unchanged.
  shadow,
};

struct Config {
  Mode mode = Mode::enforce;

  // The workload APIs that are looked after; Pods of others are left alone. For a
  // cluster where another injector owns an API.
  WorkloadSet workloads = WorkloadSet::all();

  // In front of our annotations and labels: "<prefix>slice-key". Ends with '/'.
  std::string prefix = "tpu-webhook.dev/";

  // Port of process 0 of a host in TPU_PROCESS_ADDRESSES; process c listens on
  // base_port + c. 8471 is libtpu's own default (reference/workloads.md 1.4).
  std::uint16_t base_port = 8471;

  // Service that resolves Ray workers: KubeRay up to 1.3 kept only the last 50
  // characters of "<cluster>-headless" (reference/workloads.md 2.5).
  bool kuberay_truncates_service_name = false;

  // TPU_NAME for every workload API, not for Ray and LeaderWorkerSet alone.
  bool tpu_name_everywhere = false;

  // Add affinity terms that keep a multi-host slice whole (docs/architecture.md).
  bool place = true;
};

}  // namespace tpuwh::webhook
