// Sets of variables. The variables that one consumer reads together are completed together or left
// alone together (docs/contract.md#sets-of-variables).
#pragma once

#include "webhook/env/wanted.hpp"
#include "webhook/outcome/notes.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tpuwh::webhook::env {

enum class Set : std::uint8_t { process, megascale, ray, dashboard, torch_tpu, count_ };
inline constexpr std::size_t set_count = static_cast<std::size_t>(Set::count_);

// The condition under which a user's value agrees with the value that we would write.
enum class Agrees : std::uint8_t {
  if_equal,
  if_equal_or_lws,   // equal to our value, or written by LeaderWorkerSet's webhook
  if_same_hosts,     // the same hosts in the same order, also by longer names
  if_coordinator,    // the host of our value, or a host of another replicated job
  if_all_processes,  // bounds whose product is the number of processes
  if_all_chips,      // bounds whose product is the number of the container's chips
  if_port,           // any port, as long as the host has one process
  if_ports_differ,   // ports that are readable and differ between the Pod's processes: read_ports()
  always,
};

struct SetMember {
  Set set;
  Agrees agrees;
  bool switches = false;  // an empty value opts out of the whole set
};

struct SetRow {
  std::string_view readers;
  bool needs_process;  // the set is left alone if the set `process` is left alone
};

inline constexpr std::array<SetRow, set_count> set_rows{{
    {"JAX and libtpu", false},
    {"MegaScale", true},
    {"Ray", true},
    {"Ray's dashboard", false},
    {"torch_tpu", true},
}};

// The set and the condition of each variable, in the order of read::Variable.
inline constexpr std::array<SetMember, read::variable_count> set_members = [] {
  using enum Set;
  using enum Agrees;
  return std::array<SetMember, read::variable_count>{{
      {megascale, if_equal, true},  // MEGASCALE_NUM_SLICES
      {megascale, if_equal},        // MEGASCALE_SLICE_ID
      {megascale, if_coordinator},  // MEGASCALE_COORDINATOR_ADDRESS
      {megascale, if_port},         // MEGASCALE_PORT
      {process, if_same_hosts},     // TPU_WORKER_HOSTNAMES
      {process, if_same_hosts},     // TPU_PROCESS_ADDRESSES
      {process, if_ports_differ},   // TPU_PROCESS_PORT
      {process, if_equal},          // TPU_WORKER_ID
      {ray, if_equal_or_lws},       // TPU_NAME
      {dashboard, always},          // TPU_DEVICE_PLUGIN_HOST_IP
      {dashboard, always, true},    // TPU_DEVICE_PLUGIN_ADDR
      {torch_tpu, if_equal, true},  // TORCH_TPU_TOPOLOGY
      {torch_tpu, if_equal},        // TORCH_TPU_SLICEBUILDER_ADDRESSES
      {process, always},            // TPU_PROCESS_ADDRESSES_PATH
      {process, if_all_processes},  // TPU_HOST_BOUNDS
      {process, if_all_processes},  // TPU_PROCESS_BOUNDS
      {process, if_all_chips},      // TPU_CHIPS_PER_HOST_BOUNDS
      {process, if_all_chips},      // TPU_CHIPS_PER_PROCESS_BOUNDS
  }};
}();

// The variables of each set, one bit for each variable.
inline constexpr std::array<std::uint32_t, set_count> variables_of = [] {
  std::array<std::uint32_t, set_count> bits{};
  for (std::size_t v = 0; v < read::variable_count; ++v)
    bits[static_cast<std::size_t>(set_members[v].set)] |= std::uint32_t{1} << v;
  return bits;
}();

// Finds the state of every entry, and removes the variables of sets that are left alone from the
// variables that the containers should have. All processes of the Pod are settled together, and
// each init container is settled alone. A note gives the reason, unless every variable of the set
// is empty.
void settle_sets(const ContainerEnvs& envs, outcome::Notes& notes);

}  // namespace tpuwh::webhook::env
