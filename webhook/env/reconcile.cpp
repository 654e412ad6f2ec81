#include "webhook/env/reconcile.hpp"

#include "base/names.hpp"
#include "webhook/env/process_ports.hpp"
#include "webhook/facts/env_entry.hpp"
#include "webhook/findings/finding.hpp"

#include <algorithm>
#include <functional>

namespace tpuwh::webhook::env {

namespace {

// How an entry that is there stands to what is wanted.
enum class Fate { keep_ours, keep_theirs, replace, remove };

// What we compute from these equals them even where the user set them, so without a
// record they are the user's.
bool steers(read::Variable variable) {
  return variable == read::Variable::megascale_num_slices ||
         variable == read::Variable::tpu_process_port;
}

class Judge {
 public:
  explicit Judge(const ContainerEnv& env)
      : env_(env),
        before_(*env.facts.before),
        record_lost_(!before_.parsed() && (env.facts.pod->has(read::Annotation::injected) ||
                                           env.facts.pod->has(read::Annotation::slice))) {}

  Fate fate(const read::EnvEntry& entry, const WantedVariable* want) const {
    const bool ours = is_ours(entry, want);
    const Fate keep = ours ? Fate::keep_ours : Fate::keep_theirs;
    if (want == nullptr) return ours ? Fate::remove : Fate::keep_theirs;
    if (entry.source == read::EnvSource::value_from || !entry.has_value ||
        entry.value == want->value)
      return keep;
    const bool platform =
        env_.facts.slice.multi_host() && facts::is_platform_default(entry.variable, entry.value);
    const bool wrong = facts::is_id_of_nobody(env_.facts, entry);
    return ours || platform || wrong ? Fate::replace : Fate::keep_theirs;
  }

 private:
  bool is_ours(const read::EnvEntry& entry, const WantedVariable* want) const {
    if (entry.source == read::EnvSource::value_from &&
        entry.variable != read::Variable::tpu_device_plugin_host_ip)
      return false;
    if (before_.find(env_.container.name, entry.variable) != nullptr)
      return facts::written_by_us(before_, env_.container, entry);
    return record_lost_ && !steers(entry.variable) && want != nullptr &&
           want->value == facts::value_of(entry);
  }

  const ContainerEnv& env_;
  const facts::Provenance& before_;
  // We were here before, and somebody took our record away: a value that is just
  // what we would write was then written by us.
  const bool record_lost_;
};

void record(const read::Container& container, const WantedVariable& want,
            facts::Provenance& after) {
  if (want.shared != nullptr)
    after.record(container.name, want.variable, want.shared->value_digest);
  else
    after.record(container.name, want.variable, want.value);
}

// All slices meet at one address, of which the port is a variable of its own: any serves, as long
// as a host has one process.
bool is_free_choice(const ContainerEnv& env, const read::EnvEntry& entry) {
  return entry.variable == read::Variable::megascale_port &&
         env.facts.shape->processes.size() == 1 && port_in(entry);
}

// Pathways' head is where the slices meet, in a replicated job of its own without chips.
bool is_of_another_job(const ContainerEnv& env, const read::EnvEntry& entry) {
  const workloads::Member& member = *env.facts.member;
  if (entry.variable != read::Variable::megascale_coordinator_address ||
      member.workload != config::WorkloadKind::jobset)
    return false;
  const auto after = [](std::string_view text, std::string_view prefix) {
    const bool has =
        text.size() > prefix.size() && text.starts_with(prefix) && text[prefix.size()] == '-';
    return has ? text.substr(prefix.size() + 1) : std::string_view();
  };
  const std::string_view job = after(entry.value, member.group);
  return !job.empty() && after(job, member.part).empty();
}

// A longer name of the same host: "HOST.ml.svc.cluster.local".
bool is_name_of(std::string_view longer, std::string_view host) {
  return !host.empty() && longer.starts_with(host) &&
         (longer.size() == host.size() || longer[host.size()] == '.');
}

// The same hosts by longer names, in their order; of the coordinator also with the port that
// another variable has.
bool are_same_hosts(const read::EnvEntry& entry, const WantedVariable& want) {
  if (entry.variable == read::Variable::megascale_coordinator_address)
    return is_name_of(entry.value.substr(0, entry.value.find(':')), want.value);
  if (entry.variable != read::Variable::tpu_worker_hostnames) return false;
  std::string_view theirs = entry.value, ours = want.value;
  while (!theirs.empty() && !ours.empty())
    if (!is_name_of(facts::take_entry(theirs), facts::take_entry(ours))) return false;
  return theirs.empty() && ours.empty();
}

// "$(NAME)" is what the kubelet makes of it.
bool is_made_of_others(const read::EnvEntry& entry) {
  return entry.value.find("$(") != std::string_view::npos;
}

// `text` from where it differs from `other`: of two lists from the first entry that does.
std::string from_difference(std::string_view text, std::string_view other) {
  constexpr std::size_t most = 40;
  const auto same = static_cast<std::size_t>(std::ranges::mismatch(text, other).in1 - text.begin());
  const auto comma = text.substr(0, same).rfind(',');
  const bool cut = same > most / 2 && comma != std::string_view::npos;
  return (cut ? "..." : "") + base::printable(cut ? text.substr(comma) : text, most);
}

// A value that is there and is not ours stays; that the rest of the set says
// something else is worth a sentence. An empty one is an opt-out.
void note_contradiction(const ContainerEnv& env, const read::EnvEntry& entry,
                        const WantedVariable& want, outcome::Notes& notes) {
  if (entry.source == read::EnvSource::value_from || entry.value.empty() ||
      entry.value == want.value)
    return;
  if (is_free_choice(env, entry) || is_of_another_job(env, entry) || are_same_hosts(entry, want) ||
      is_made_of_others(entry))
    return;
  // LeaderWorkerSet's own webhook gives all subgroups of a group one name.
  if (env.facts.lws() && entry.variable == read::Variable::tpu_name) return;
  notes.warn(findings::Finding::value_kept,
             std::string(read::name(entry.variable)) + " of container " +
                 base::printable(env.container.name, 63) + " is " +
                 from_difference(entry.value, want.value) +
                 " and was kept; this Pod's place in the slice gives " +
                 from_difference(want.value, entry.value));
}

}  // namespace

EnvChanges reconcile(const ContainerEnv& env, facts::Provenance& after, outcome::Notes& notes) {
  const Judge judge(env);
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
    switch (judge.fate(*entry, want)) {
      case Fate::keep_ours:
        after.record(env.container.name, variable, facts::value_of(*entry));
        break;
      case Fate::replace:
        changes.replaced.add({entry, want});
        record(env.container, *want, after);
        break;
      case Fate::remove:
        changes.removed.add(entry->index);
        break;
      case Fate::keep_theirs:
        if (want != nullptr) note_contradiction(env, *entry, *want, notes);
        break;
    }
  }
  // From the back, so that the indices in front stay what they were.
  std::ranges::sort(changes.removed, std::greater<>());
  return changes;
}

void add_theirs(const ContainerEnv& env, base::Digester& inputs) {
  if (env.container.variables == 0) return;
  const Judge judge(env);
  for (std::size_t v = 0; v < read::variable_count; ++v) {
    const auto variable = static_cast<read::Variable>(v);
    const read::EnvEntry* entry = env.facts.pod->entry(env.container, variable);
    if (entry == nullptr || judge.fate(*entry, env.wanted.find(variable)) != Fate::keep_theirs)
      continue;
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
