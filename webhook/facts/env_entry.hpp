// One entry of a container's env: whose it is, and what it says.
#pragma once

#include "webhook/facts/facts.hpp"
#include "webhook/read/pod.hpp"

#include <string_view>

namespace tpuwh::webhook::facts {

// The field that TPU_DEVICE_PLUGIN_HOST_IP refers to, the only reference that we write.
inline constexpr std::string_view host_ip_field = "status.hostIP";

// What is recorded of an entry's value: a reference is only ever ours in one form.
inline std::string_view value_of(const read::EnvEntry& entry) {
  return entry.source == read::EnvSource::value_from ? host_ip_field : entry.value;
}

// The entry is on record as ours and still is what we wrote.
bool written_by_us(const Provenance& before, const read::Container& container,
                   const read::EnvEntry& entry);

// What somebody else set: the entry that counts, unless it is ours from an earlier
// pass, which says nothing that is not computed again.
const read::EnvEntry* set_by_others(const Facts& facts, const read::Container& container,
                                    read::Variable variable);

// What the platform puts there, which speaks of this machine alone.
bool is_platform_default(read::Variable variable, std::string_view value);

// The worker id -1, which LeaderWorkerSet computes for subgroups of one member
// (docs/facts.md#lws-minus-one). No reader takes it.
bool is_id_of_nobody(const Facts& facts, const read::EnvEntry& entry);

// What stands before the first comma, taken off the front of `list` together with it.
inline std::string_view take_entry(std::string_view& list) {
  const std::size_t comma = list.find(',');
  const std::string_view entry = list.substr(0, comma);
  list = comma == std::string_view::npos ? std::string_view() : list.substr(comma + 1);
  return entry;
}

}  // namespace tpuwh::webhook::facts
