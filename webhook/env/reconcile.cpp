#include "webhook/env/reconcile.hpp"

#include "webhook/facts/env_entry.hpp"

#include <algorithm>
#include <functional>

namespace tpuwh::webhook::env {

namespace {

void record(const read::Container& container, const WantedVariable& want,
            facts::Provenance& after) {
  if (want.shared != nullptr)
    after.record(container.name, want.variable, want.shared->value_digest);
  else
    after.record(container.name, want.variable, want.value);
}

}  // namespace

EnvChanges reconcile(const ContainerEnv& env, facts::Provenance& after) {
  EnvChanges changes;
  for (std::size_t v = 0; v < read::variable_count; ++v) {
    const auto variable = static_cast<read::Variable>(v);
    const WantedVariable* want = env.wanted.find(variable);
    const read::EnvEntry* entry = env.facts.pod->entry(env.container, variable);
    if (entry == nullptr) {
      if (want == nullptr) continue;
      changes.missing.add(want);
      record(env.container, *want, after);
      continue;
    }
    const State state = env.wanted.states[v];
    if (want == nullptr) {
      if (state == State::ours) changes.removed.add(entry->index);
    } else if (state == State::platform_default ||
               (state == State::ours && entry->source == read::EnvSource::literal &&
                entry->value != want->value)) {
      changes.replaced.add({entry, want});
      record(env.container, *want, after);
    } else if (state == State::ours) {
      after.record(env.container.name, variable, facts::value_of(*entry));
    }
  }
  // From the back, so that the indices in front stay what they were.
  std::ranges::sort(changes.removed, std::greater<>());
  return changes;
}

void add_theirs(const ContainerEnv& env, base::Digester& inputs) {
  if (env.container.variables == 0) return;
  for (std::size_t v = 0; v < read::variable_count; ++v) {
    const auto variable = static_cast<read::Variable>(v);
    const read::EnvEntry* entry = env.facts.pod->entry(env.container, variable);
    const State state = env.wanted.states[v];
    if (entry == nullptr || state == State::ours || state == State::platform_default) continue;
    inputs.add(std::uint64_t{v}).add(facts::value_of(*entry));
  }
}

bool lost_variable(const ContainerEnv& env) {
  return std::ranges::any_of(
      env.facts.before->entries(), [&](const facts::Provenance::Entry& entry) {
        return entry.container == env.container.name &&
               env.facts.pod->entry(env.container, entry.variable) == nullptr;
      });
}

}  // namespace tpuwh::webhook::env
