// Which ports members of a slice reach each other on.
#pragma once

#include "kubectl/inspect/slices/cluster.hpp"
#include "server/text/json.hpp"

#include <cstdint>
#include <map>
#include <set>
#include <string>

namespace tpuwh::server::network {

// Whose Pods use it: those of a slice, those of all slices of a job, those of a program that uses
// JAX.
enum class Among { slice, job, jax };

struct PortUse {
  std::string of;  // "TPU_PROCESS_ADDRESSES", "libtpu's default"
  Among among;     // of several the first
};

struct MemberPorts {
  std::map<std::uint32_t, PortUse> ports;
  std::set<std::string> not_known;  // variables that have them and whose values are not known

  // Those that a member listens on, by its variables and by its manifest.
  //
  //   lists   also those of the other members: a list of addresses is alike in all of a slice
  //   source  docs/facts.md#ports, docs/facts.md#jax-coordinator-port
  void add(const Json& pod, const slices::SeenPod& seen, bool lists);
};

// Whether its slice meets others by MegaScale.
bool is_of_several_slices(const slices::SeenPod& seen);

}  // namespace tpuwh::server::network
