#include "webhook/env/sets.hpp"

#include "base/counted.hpp"
#include "base/names.hpp"
#include "webhook/facts/env_entry.hpp"
#include "webhook/findings/finding.hpp"

#include <algorithm>
#include <bit>
#include <span>
#include <string>

namespace tpuwh::webhook::env {

namespace {

using Group = std::span<const ContainerEnv>;  // containers of all processes, or one init container

const SetMember& member_of(read::Variable variable) {
  return set_members[static_cast<std::size_t>(variable)];
}

// Returns the value with which an entry is compared, or null if no such value is wanted.
const WantedVariable* target_of(const ContainerEnv& env, read::Variable variable) {
  const WantedVariable* want = env.wanted.find(variable);
  return want == nullptr && variable == read::Variable::tpu_process_addresses
             ? env.wanted.find(read::Variable::tpu_worker_hostnames)
             : want;
}

// ---- whether a user's value agrees

// Returns whether `longer` is `host` or a longer name of the same host:
// "HOST.ml.svc.cluster.local".
bool is_name_of(std::string_view longer, std::string_view host) {
  return !host.empty() && longer.starts_with(host) &&
         (longer.size() == host.size() || longer[host.size()] == '.');
}

std::string_view host_of(std::string_view address) {
  return address.substr(0, address.find(':'));
}

// Returns whether both lists have the same hosts in the same order, with any ports.
bool are_same_hosts(std::string_view theirs, std::string_view ours) {
  while (!theirs.empty() && !ours.empty())
    if (!is_name_of(host_of(facts::take_entry(theirs)), host_of(facts::take_entry(ours))))
      return false;
  return theirs.empty() && ours.empty();
}

// Returns whether the address is in another replicated job of the JobSet. The slices of Pathways
// meet at its head, which is in a replicated job of its own without chips.
bool is_of_another_job(const workloads::Member& member, std::string_view address) {
  const auto begins = [](std::string_view text, std::string_view name) {
    return text.size() > name.size() + 1 && text.starts_with(name) && text[name.size()] == '-';
  };
  return member.workload == config::WorkloadKind::jobset && begins(address, member.group) &&
         !begins(address.substr(member.group.size() + 1), member.part);
}

// Returns the product of bounds: 4 for "2,2,1", and 0 for a text that is not bounds.
std::uint64_t product_of(std::string_view bounds) {
  std::uint64_t product = 1;
  while (!bounds.empty()) product *= base::plain_decimal(facts::take_entry(bounds)).value_or(0);
  return product;
}

bool agrees(const ContainerEnv& env, const read::EnvEntry& entry) {
  using enum Agrees;
  const facts::Facts& facts = env.facts;
  const WantedVariable* want = target_of(env, entry.variable);
  const std::string_view theirs = entry.value, ours = want == nullptr ? theirs : want->value;
  switch (member_of(entry.variable).agrees) {
    case if_equal:
      return false;
    case if_equal_or_lws:
      return theirs == ours || facts.lws();
    case if_same_hosts:
      return are_same_hosts(theirs, ours);
    case if_coordinator:  // on TPU7x the port must also be the one that we would write
      return is_of_another_job(*facts.member, theirs) ||
             (!facts.slice.traits.shares_host() && are_same_hosts(theirs, ours));
    case if_all_processes:
      return product_of(theirs) == facts.slice.processes;
    case if_all_chips:  // the only process of a slice may use some of its chips
      return facts.slice.processes == 1 || product_of(theirs) == env.container.chips();
    case if_port:
      return port_in(entry) && facts.shape->processes.size() == 1;
    case if_ports_differ:
      return !env.ports.unreadable && !env.ports.same;
    case always:
      break;
  }
  return true;
}

// ---- the state of an entry

// Returns whether our value of a variable follows from the user's own entry. Such a value equals
// the entry even if the user wrote the entry, so an entry without a record is the user's.
bool steers(read::Variable variable) {
  return variable == read::Variable::megascale_num_slices ||
         variable == read::Variable::tpu_process_port;
}

bool is_ours(const ContainerEnv& env, const read::EnvEntry& entry, const WantedVariable* want) {
  if (entry.source == read::EnvSource::value_from &&
      entry.variable != read::Variable::tpu_device_plugin_host_ip)
    return false;
  const facts::Provenance& before = *env.facts.before;
  if (before.find(env.container.name, entry.variable) != nullptr)
    return facts::written_by_us(before, env.container, entry);
  // The webhook wrote to this Pod before, and somebody removed the record. A value that equals the
  // value that we would write now was therefore written by us.
  const bool record_lost = !before.parsed() && (env.facts.pod->has(read::Annotation::injected) ||
                                                env.facts.pod->has(read::Annotation::slice));
  return record_lost && !steers(entry.variable) && want != nullptr &&
         want->value == facts::value_of(entry);
}

State state_of(const ContainerEnv& env, const read::EnvEntry& entry, const WantedVariable* want) {
  if (is_ours(env, entry, want)) return State::ours;
  const bool literal = entry.source == read::EnvSource::literal;
  if (literal && want != nullptr && entry.value == want->value &&
      entry.variable != read::Variable::tpu_process_port)  // two equal ports contradict each other
    return State::agrees;
  if (literal && entry.value.empty())  // JAX ignores an empty path
    return entry.variable == read::Variable::tpu_process_addresses_path ? State::agrees
                                                                        : State::empty;
  if (!literal || entry.value.find("$(") != std::string_view::npos) {
    // A worker id from a field of the Pod is the same in each of its containers, so the host must
    // have one process. A port must be readable, because it becomes part of a list.
    const bool known =
        entry.variable == read::Variable::tpu_worker_id
            ? env.facts.slice.processes_per_host == 1
            : entry.variable != read::Variable::tpu_process_port || !env.ports.unreadable;
    return known ? State::elsewhere : State::contradicts;
  }
  if (agrees(env, entry)) return State::agrees;
  const bool platform =
      env.facts.slice.multi_host() && facts::is_platform_default(entry.variable, entry.value);
  return want != nullptr && (platform || facts::is_id_of_nobody(env.facts, entry))
             ? State::platform_default
             : State::contradicts;
}

// ---- the text of a note

// Returns `text` from its first difference from `other` on. A list is cut before the first entry
// that differs.
std::string from_difference(std::string_view text, std::string_view other) {
  constexpr std::size_t most = 40;
  const auto same = static_cast<std::size_t>(std::ranges::mismatch(text, other).in1 - text.begin());
  const auto comma = text.substr(0, same).rfind(',');
  const bool cut = same > most / 2 && comma != std::string_view::npos;
  return (cut ? "..." : "") + base::printable(cut ? text.substr(comma) : text, most);
}

// Returns the value or the number that the Pod's place in the slice gives instead of the entry.
std::string expected(const ContainerEnv& env, read::Variable variable) {
  switch (member_of(variable).agrees) {
    case Agrees::if_all_processes:
      return base::counted(env.facts.slice.processes, "process");
    case Agrees::if_all_chips:
      return base::counted(env.container.chips(), "chip");
    case Agrees::if_ports_differ:
      return "a port of its own";
    default:
      const WantedVariable* want = target_of(env, variable);
      return std::string(want == nullptr ? "a number" : want->value);
  }
}

// An entry and the container that has it.
struct Found {
  const ContainerEnv* env = nullptr;
  const read::EnvEntry* entry = nullptr;
};

void note(Set set, const Found& found, outcome::Notes& notes) {
  using enum findings::Finding;
  const read::EnvEntry& entry = *found.entry;
  const bool literal = entry.source == read::EnvSource::literal;
  const std::string gives = expected(*found.env, entry.variable);
  notes.warn(entry.variable != read::Variable::tpu_process_port ? value_kept
             : found.env->ports.same                            ? port_twice
                                                                : port_invalid,
             std::string(read::name(entry.variable)) + " of container " +
                 base::printable(found.env->container.name, 63) + " is " +
                 (!literal              ? "from elsewhere"
                  : entry.value.empty() ? "empty"
                                        : from_difference(entry.value, gives)) +
                 " and was kept; this Pod's place in the slice gives " +
                 from_difference(gives, entry.value) + ", so no variable for " +
                 std::string(set_rows[static_cast<std::size_t>(set)].readers) +
                 " was injected: remove it, or set annotation inject: \"false\"");
}

// ---- a set

// Returns whether the set is left alone. `left` is true if another set that this set needs is left
// alone.
bool settle_set(Group group, Set set, bool left, outcome::Notes& notes) {
  bool wanted = false;   // a variable of the set is wanted
  bool missing = false;  // a wanted variable is absent or ours
  bool filled = false;   // some value that we did not write is not empty
  std::size_t switched = 0;
  Found first;  // first entry that contradicts or is empty
  const std::uint32_t variables = variables_of[static_cast<std::size_t>(set)];
  for (const ContainerEnv& env : group)
    for (std::uint32_t bits = variables; bits != 0; bits &= bits - 1) {
      const auto v = static_cast<std::size_t>(std::countr_zero(bits));
      const auto variable = static_cast<read::Variable>(v);
      const WantedVariable* want = env.wanted.find(variable);
      wanted = wanted || want != nullptr;
      const read::EnvEntry* entry = env.facts.pod->entry(env.container, variable);
      const State state = entry == nullptr ? State::ours : state_of(env, *entry, want);
      env.wanted.states[v] = state;
      const bool empty = state == State::empty;
      missing = missing || (state == State::ours && want != nullptr);
      filled = filled || (state != State::ours && !empty);
      switched += empty && set_members[v].switches ? 1 : 0;
      if (first.entry == nullptr && (empty || state == State::contradicts)) first = {&env, entry};
    }
  if (wanted && first.entry != nullptr) {
    left = true;
    const bool opted_out = !filled && (!missing || switched == group.size());
    if (!opted_out) note(set, first, notes);
  }
  for (std::uint32_t bits = left ? variables : 0; bits != 0; bits &= bits - 1)
    for (const ContainerEnv& env : group) {
      const auto v = static_cast<std::size_t>(std::countr_zero(bits));
      env.wanted.by_variable[v] = nullptr;
      // An entry without a record may be the user's after all.
      State& state = env.wanted.states[v];
      if (state != State::ours ||
          !env.facts.before->find(env.container.name, static_cast<read::Variable>(v)))
        state = State::agrees;
    }
  return left;
}

void settle_group(Group group, outcome::Notes& notes) {
  const auto has_any = [](const ContainerEnv& env) { return env.container.variables != 0; };
  if (std::ranges::none_of(group, has_any)) return;
  const bool left = settle_set(group, Set::process, false, notes);
  for (std::size_t s = 1; s < set_count; ++s)
    settle_set(group, static_cast<Set>(s), left && set_rows[s].needs_process, notes);
}

}  // namespace

void settle_sets(const ContainerEnvs& envs, outcome::Notes& notes) {
  const Group all(envs.begin(), envs.end());
  const std::size_t processes = all.front().facts.shape->processes.size();
  settle_group(all.first(processes), notes);
  for (std::size_t i = processes; i < all.size(); ++i) settle_group(all.subspan(i, 1), notes);
}

}  // namespace tpuwh::webhook::env
