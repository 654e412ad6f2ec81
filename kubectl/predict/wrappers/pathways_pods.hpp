// The Pods of a PathwaysJob: its head and its workers.
//   source  google/pathways-job internal/controller/pathwaysjob_controller.go, c0cc759
#pragma once

#include "server/text/json_text.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace tpuwh::server::wrappers {

// A GKE machine type as its controller knows it.
struct Machine {
  std::string_view type;         // "ct6e-standard-4t"
  std::string_view instance;     // "tpuv6e", what Pathways calls it
  std::string_view accelerator;  // "tpu-v6e-slice"
  std::uint64_t chips = 4;
};

// Null for one that its CRD refuses.
const Machine* find_machine(std::string_view type);

// A PathwaysJob's spec, checked.
struct Pathways {
  const std::string& name;
  const Json& spec;
  const Json& worker;      // of spec.workers
  const Json& controller;  // spec.controller
  const Machine& machine;
  std::string topology;
  std::uint64_t hosts = 1;  // of a slice
  bool colocated = false;   // the head runs on a TPU node
};

// Pod specs.
Json head_spec(const Pathways& pathways);
Json worker_spec(const Pathways& pathways);

}  // namespace tpuwh::server::wrappers
