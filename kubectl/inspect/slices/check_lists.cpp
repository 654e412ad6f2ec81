// TPU_WORKER_HOSTNAMES and TPU_PROCESS_ADDRESSES: the same for all members, entry i the Pod
// whose id is i.
#include "base/counted.hpp"
#include "base/names.hpp"
#include "kubectl/inspect/slices/audit.hpp"
#include "kubectl/inspect/slices/host_list.hpp"
#include "kubectl/inspect/slices/recreate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace tpuwh::server::slices {

namespace {

using base::printable;
using webhook::read::Variable;

// A list, and who has it.
struct Held {
  const SeenPod* pod;
  const TpuProcess* process;
  std::string_view text;
};

std::vector<Held> held_lists(const SliceReport& slice, Variable variable, Findings& findings) {
  std::vector<Held> out;
  for (const SeenPod* pod : slice.staying) {
    for (const TpuProcess& process : pod->processes) {
      const EnvValue& value = process[variable];
      if (value.literal()) out.push_back({pod, &process, value.text});
      if (value.kind == EnvValue::Kind::unknown)
        findings.not_known(
            fmt::format("{}: {} comes from valueFrom, envFrom or another variable, "
                        "so it was not compared",
                        slice.full_name(), webhook::read::name(variable)));
    }
  }
  return out;
}

std::string short_text(std::string_view text) {
  return "\"" + printable(text, 100) + "\"";
}

// Where two lists part.
std::string difference(const Held& a, const Held& b) {
  const auto left = split_list(a.text), right = split_list(b.text);
  std::size_t i = 0;
  while (i < left.size() && i < right.size() && left[i] == right[i]) ++i;
  const auto entry = [&](const std::vector<std::string_view>& list) {
    return i < list.size() ? short_text(list[i]) : std::string("nothing");
  };
  return fmt::format("entry {} is {} on Pod {} and {} on Pod {}", i, entry(left), a.pod->name,
                     entry(right), b.pod->name);
}

// False where members have different lists.
bool check_alike(const SliceReport& slice, Variable variable, const std::vector<Held>& lists,
                 Findings& findings) {
  std::vector<const SeenPod*> others;
  std::optional<std::string> where;
  for (const Held& each : lists) {
    if (each.text == lists.front().text) continue;
    if (!where) where = difference(lists.front(), each);
    if (others.empty() || others.back() != each.pod) others.push_back(each.pod);
  }
  if (others.empty()) return true;
  findings.error(
      "list-differs", slice, others,
      fmt::format("{} differs between members: {}; expected the same list on all {}",
                  webhook::read::name(variable), *where, base::counted(slice.hosts, "host")),
      recreate_hint(slice, {variable}));
  return false;
}

std::uint32_t index_in_pod(const Held& held) {
  return static_cast<std::uint32_t>(held.process - held.pod->processes.data());
}

// Which entry is a process's, in a list of that length; nothing where it has none.
std::optional<std::size_t> own_entry(const SliceReport& slice, const Held& held,
                                     std::size_t entries) {
  std::optional<std::uint32_t> id;
  if (const EnvValue& value = (*held.process)[Variable::tpu_worker_id]; value.literal())
    id = base::plain_decimal(value.text);
  const std::uint32_t per_host = held.pod->processes_per_host;
  if (!id && held.pod->host) id = *held.pod->host * per_host + index_in_pod(held);
  if (!id) return std::nullopt;
  const std::size_t at = entries == slice.processes ? *id : *id / per_host;
  return at < entries ? std::optional(at) : std::nullopt;
}

void check_entries(const SliceReport& slice, Variable variable, const std::vector<Held>& lists,
                   Findings& findings) {
  const auto entries = split_list(lists.front().text);
  std::vector<const SeenPod*> wrong;
  std::string first;
  for (const Held& held : lists) {
    const auto at = own_entry(slice, held, entries.size());
    if (!at || resolves_to(split_port(entries[*at]).host, *held.pod)) continue;
    if (first.empty())
      first = fmt::format("entry {} of {} is {}, but that worker is Pod {}; expected {}", *at,
                          webhook::read::name(variable), short_text(entries[*at]), held.pod->name,
                          dns_name(*held.pod));
    if (wrong.empty() || wrong.back() != held.pod) wrong.push_back(held.pod);
  }
  if (wrong.empty()) return;
  if (wrong.size() > 1)
    first += fmt::format(" ({} are wrong)", base::counted(wrong.size(), "entry"));
  findings.error("list-entry", slice, wrong, first, recreate_hint(slice, {variable}));
}

bool check_length(const SliceReport& slice, Variable variable, const Held& list,
                  Findings& findings) {
  const std::size_t found = split_list(list.text).size();
  const bool per_process = variable == Variable::tpu_process_addresses;
  if (found == slice.processes || (found == slice.hosts && !per_process)) return true;
  std::string wanted = base::counted(slice.hosts, "host");
  if (slice.processes != slice.hosts)
    wanted += fmt::format(" with {}", base::counted(slice.processes, "process"));
  findings.error(
      "list-length", slice, {list.pod},
      fmt::format("{} has {} ({}) on Pod {}; expected {}, for {}", webhook::read::name(variable),
                  base::counted(found, "entry"), short_text(list.text), list.pod->name,
                  per_process ? slice.processes : slice.hosts, wanted),
      recreate_hint(slice, {variable}));
  return false;
}

void check_list(const SliceReport& slice, Variable variable, Findings& findings) {
  const auto lists = held_lists(slice, variable, findings);
  if (lists.empty() || !check_alike(slice, variable, lists, findings)) return;
  if (!check_length(slice, variable, lists.front(), findings)) return;
  const bool named = std::ranges::all_of(slice.staying, [](const SeenPod* pod) {
    return !pod->subdomain.empty() || pod->host_network;
  });
  // With an id twice, an entry is always another's.
  if (named && slice.duplicate_ids.empty()) check_entries(slice, variable, lists, findings);
}

void check_ports(const SliceReport& slice, Findings& findings) {
  for (const Held& held : held_lists(slice, Variable::tpu_process_addresses, findings)) {
    const EnvValue& port = (*held.process)[Variable::tpu_process_port];
    const auto entries = split_list(held.text);
    const auto at =
        entries.size() == slice.processes ? own_entry(slice, held, entries.size()) : std::nullopt;
    if (!port.literal() || !at || split_port(entries[*at]).port == port.text) continue;
    findings.error(
        "process-port", slice, {held.pod},
        fmt::format("TPU_PROCESS_PORT of container {} of Pod {} is {}, but its entry {} of "
                    "TPU_PROCESS_ADDRESSES is {}; expected the same port in both",
                    printable(held.process->container), held.pod->name, short_text(port.text), *at,
                    short_text(entries[*at])),
        recreate_hint(slice, {Variable::tpu_process_port, Variable::tpu_process_addresses}));
  }
}

}  // namespace

void check_lists(const SliceReport& slice, Findings& findings) {
  if (!slice.multi_host()) return;  // "localhost", and whatever its user likes
  check_list(slice, Variable::tpu_worker_hostnames, findings);
  check_list(slice, Variable::tpu_process_addresses, findings);
  check_ports(slice, findings);
}

}  // namespace tpuwh::server::slices
