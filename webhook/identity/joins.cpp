#include "webhook/identity/joins.hpp"

#include "webhook/facts/env_entry.hpp"

#include <algorithm>

namespace tpuwh::webhook::identity {

bool joins_slices(const facts::Facts& facts) {
  const auto asks = [&](const read::Container* container) {
    const read::EnvEntry* asked =
        facts::set_by_others(facts, *container, read::Variable::megascale_num_slices);
    return asked != nullptr &&
           (asked->source == read::EnvSource::value_from || !asked->value.empty());
  };
  if (std::ranges::any_of(facts.shape->processes, asks)) return true;
  if (facts.member->slices_asked) return facts.slice_count > 1;
  const workloads::Member& member = *facts.member;
  const bool meets =
      member.coordinator_known || (member.of_several_owners && !member.coordinator.empty());
  return member.slices_are_one_job && facts.slice.multi_host() && facts.slice_count > 1 && meets;
}

}  // namespace tpuwh::webhook::identity
