// The TPU environment of a Pod: which variables each container should have, and
// what has to be patched to get there (DESIGN D3, D7; docs/contract.md).
#pragma once

#include "webhook/config/config.hpp"
#include "webhook/decide/facts.hpp"
#include "webhook/decide/notes.hpp"
#include "webhook/decide/provenance.hpp"
#include "webhook/write/patch.hpp"
#include "webhook/write/shared_text.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace tpuwh::webhook::decide {

// The kernel takes no longer "NAME=value" in a program's environment
// (MAX_ARG_STRLEN, 32 pages of 4 KiB, less the NUL): reference/consumers.md 5.1.
inline constexpr std::size_t max_env_bytes = 131'071;

// Values that all containers of a Pod share. Buffers are reused.
struct EnvValues {
  const write::SharedText* hostnames = nullptr;  // "h0.svc,h1.svc", null where hosts have no names
  const write::SharedText* addresses = nullptr;  // "h0.svc:8471,…", null where not wanted
  text::Buffer coordinator;                      // host 0 of slice 0, "" where not known
  text::Buffer tpu_name;                         // "" where not wanted
  // "4,4,1", and "h0.svc:8471,h0.svc:8472,…" with an entry for each device; "" and null
  // where not wanted, or where `torch_misfit` says why they cannot be.
  text::Buffer torch_topology;
  const write::SharedText* torch_addresses = nullptr;
  std::string torch_misfit;
  // TPU_PROCESS_PORT of each process, where there are addresses.
  std::array<std::uint32_t, max_tpu_containers> ports;
  // A container's own TPU_PROCESS_PORT is no plain number, so no list of addresses
  // can be made.
  bool ports_unreadable = false;
  bool same_port = false;  // two processes of the Pod have the same

  // Kept from review to review.
  write::SharedTexts all_hostnames, all_addresses, all_torch_addresses;
  text::Buffer key;  // of one of them, while it is looked for
};

// One variable as it should be. Of TPU_DEVICE_PLUGIN_HOST_IP the value is the
// field path.
struct WantedVariable {
  read::Variable variable;
  std::string_view value;
  const write::SharedText* shared = nullptr;  // holds the value, where it is a list of the slice's
};

// In the order in which they are inserted.
struct WantedEnv {
  std::array<WantedVariable, read::variable_count> variables;
  std::size_t count = 0;
  std::array<char, 64> digits;  // holds numbers
  std::size_t digits_used = 0;

  void add(read::Variable variable, std::string_view value) {
    variables[count++] = {variable, value};
  }
  void add(read::Variable variable, const write::SharedText& list) {
    variables[count++] = {variable, list.value(), &list};
  }
  void add_number(read::Variable variable, std::uint32_t number);
  const WantedVariable* find(read::Variable variable) const;
};

// Builds the lists. `containers` is what the Pod's TPU containers say themselves.
//
//   errors  env_too_long, with the variable, its length and the limit, computed
//           before anything is built. Not for torch_tpu's: all but torch_tpu works
//           without them, so they are left out
//   cost    hosts * name length; no allocation once the buffers have grown
Result<void> build_values(const Facts& facts, const config::Config& config, EnvValues& values);

// What process `process` of the Pod should have; for an init container, what
// process 0 has.
void want(const Facts& facts, const EnvValues& values, const read::Container& container,
          std::uint32_t process, WantedEnv& wanted);

// Whether this container takes part in a job of several slices: by default
// (JobSet), or because its MEGASCALE_NUM_SLICES says so; an empty one says no.
bool joins_slices(const Facts& facts, const read::Container& container);

// Writes the operations that turn `container` into what is wanted, or none where
// `frozen` (a second look with nothing changed), and enters into `after` which
// variables are ours then. Notes say where a user's value contradicts ours.
void reconcile(const Facts& facts, const read::Container& container, const WantedEnv& wanted,
               const Provenance& before, bool frozen, write::Patch& patch, Provenance& after,
               Notes& notes);

// Adds the container's entries that are not ours to `inputs`: what we leave alone
// is part of what the rest was computed beside.
void add_theirs(const Facts& facts, const read::Container& container, const WantedEnv& wanted,
                const Provenance& before, text::Digester& inputs);

// Whether a variable that we wrote is gone from this container.
bool lost_variable(const read::Pod& pod, const read::Container& container,
                   const Provenance& before);

}  // namespace tpuwh::webhook::decide
