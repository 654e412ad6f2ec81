// Values of the TPU environment that all containers of a Pod share: lists of the slice's hosts,
// the coordinator, names (docs/decisions/0016).
#pragma once

#include "base/buffer.hpp"
#include "webhook/config/config.hpp"
#include "webhook/env/process_ports.hpp"
#include "webhook/facts/facts.hpp"
#include "webhook/write/shared_text.hpp"

#include <string>

namespace tpuwh::webhook::env {

// Buffers are reused.
struct EnvValues {
  const write::SharedText* hostnames = nullptr;  // "h0.svc,h1.svc", null where hosts have no names
  const write::SharedText* addresses = nullptr;  // "h0.svc:8471,…", null where not wanted
  base::Buffer coordinator;                      // host 0 of slice 0, "" where not known
  base::Buffer tpu_name;                         // "" where not wanted
  // "4,4,1", and "h0.svc:8471,h0.svc:8472,…" with an entry for each device; "" and null
  // where not wanted, or where `torch_misfit` says why they cannot be.
  base::Buffer torch_topology;
  const write::SharedText* torch_addresses = nullptr;
  std::string torch_misfit;
  ProcessPorts ports;  // where there are addresses

  // Kept from review to review.
  write::SharedTexts all_hostnames, all_addresses, all_torch_addresses;
  base::Buffer key;  // of one of them, while it is looked for
};

// Builds them.
//
//   errors  env_too_long, with the variable, its length and the limit, computed
//           before anything is built. Not for torch_tpu's: all but torch_tpu works
//           without them, so they are left out
//   cost    hosts * name length; no allocation once the buffers have grown
Result<void> build_values(const facts::Facts& facts, const config::Config& config,
                          EnvValues& values);

}  // namespace tpuwh::webhook::env
