#include "webhook/identity/joins.hpp"

#include "webhook/facts/env_entry.hpp"

#include <algorithm>

namespace tpuwh::webhook::identity {

bool joins_slices(const facts::Facts& facts, const read::Container& container) {
  const read::EnvEntry* asked =
      facts::set_by_others(facts, container, read::Variable::megascale_num_slices);
  // Empty is an opt-out: replicas of a replicated job may be servers that know nothing of each
  // other.
  if (asked != nullptr)
    return asked->source == read::EnvSource::value_from || !asked->value.empty();
  if (facts.member->slices_asked) return facts.slice_count > 1;
  const workloads::Member& member = *facts.member;
  const bool meets =
      member.coordinator_known || (member.of_several_owners && !member.coordinator.empty());
  return member.slices_are_one_job && facts.slice.multi_host() && facts.slice_count > 1 && meets;
}

bool joins_others(const facts::Facts& facts) {
  return std::ranges::any_of(facts.shape->processes,
                             [&](const read::Container* c) { return joins_slices(facts, *c); });
}

}  // namespace tpuwh::webhook::identity
