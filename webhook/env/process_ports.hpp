// The ports of the processes of a Pod: ours, or those that its containers say themselves.
#pragma once

#include "webhook/config/config.hpp"
#include "webhook/facts/facts.hpp"

#include <array>
#include <cstdint>
#include <optional>

namespace tpuwh::webhook::env {

inline constexpr std::uint32_t largest_port = 65535;

// A port as a plain number.
std::optional<std::uint32_t> port_in(const read::EnvEntry& entry);

// The port of process 0: our own, unless a container says which port is its.
std::uint32_t first_port(const facts::Facts& facts, const config::Config& config);

// TPU_PROCESS_PORT of each process.
struct ProcessPorts {
  std::array<std::uint32_t, facts::max_tpu_containers> of;
  // A container's own TPU_PROCESS_PORT is not a plain number, so no list of addresses
  // can be made.
  bool unreadable = false;
  bool same = false;  // two processes of the Pod have the same
};
ProcessPorts read_ports(const facts::Facts& facts, const config::Config& config);

// MEGASCALE_PORT: of Ray another base than elsewhere, and a port for each process of the Pod.
std::uint32_t megascale_port(const facts::Facts& facts, std::uint32_t process);

}  // namespace tpuwh::webhook::env
