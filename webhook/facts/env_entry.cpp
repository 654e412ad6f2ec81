#include "webhook/facts/env_entry.hpp"

namespace tpuwh::webhook::facts {

namespace {

// Every entry of the list is on this machine.
bool only_localhost(std::string_view list) {
  while (!list.empty()) {
    const std::string_view entry = take_entry(list);
    if (entry != "localhost" && !entry.starts_with("localhost:")) return false;
  }
  return true;
}

}  // namespace

bool written_by_us(const Provenance& before, const read::Container& container,
                   const read::EnvEntry& entry) {
  const auto* recorded = before.find(container.name, entry.variable);
  return recorded != nullptr &&
         base::view(recorded->digest) == base::view(base::digest(value_of(entry)));
}

const read::EnvEntry* set_by_others(const Facts& facts, const read::Container& container,
                                    read::Variable variable) {
  const read::EnvEntry* entry = facts.pod->entry(container, variable);
  return entry != nullptr && written_by_us(*facts.before, container, *entry) ? nullptr : entry;
}

bool is_id_of_nobody(const Facts& facts, const read::EnvEntry& entry) {
  return facts.lws() && entry.variable == read::Variable::tpu_worker_id && entry.value == "-1";
}

bool is_platform_default(read::Variable variable, std::string_view value) {
  switch (variable) {
    case read::Variable::tpu_worker_id:
      return value == "0";
    case read::Variable::tpu_worker_hostnames:
      return value == "localhost";
    case read::Variable::tpu_process_addresses:
      return !value.empty() && only_localhost(value);
    default:
      return false;
  }
}

}  // namespace tpuwh::webhook::facts
