// What a cluster pays for tpu-webhook, by its size.
#pragma once

#include <cstdint>
#include <string>

namespace tpuwh::server::doctor {

// What a replica keeps: Nodes and Pods with TPUs.
struct ClusterSize {
  std::uint64_t nodes = 0;
  std::uint64_t pods = 0;
};

// "3000 TPU nodes, 500 TPU Pods: ...": CPU of the scheduler and of the API server for a new Pod,
// and memory of a replica.
//
//   units   milliseconds of CPU on the machine of bench/RESULTS.md, MB
//   source  bench/RESULTS.md, measured at four sizes; a straight line between them, and beyond the
//           last one of the same slope
std::string cost_of(const ClusterSize& size);

}  // namespace tpuwh::server::doctor
