#include "webhook/decide/env.hpp"

#include "webhook/text/names.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

namespace tpuwh::webhook::decide {

namespace {

// Ray serves its metrics on 8080, MegaScale's own default (reference/workloads.md 1.4).
constexpr std::uint16_t megascale_port_ray = 8081;
constexpr std::uint16_t megascale_port_other = 8080;

constexpr std::string_view host_ip_field = "status.hostIP";
// Expanded by the kubelet from the variable that stands before it.
constexpr std::string_view host_ip_reference = "$(TPU_DEVICE_PLUGIN_HOST_IP)";
constexpr std::string_view device_plugin_address = "$(TPU_DEVICE_PLUGIN_HOST_IP):2112";

// What is recorded of an entry's value: a reference is only ever ours in one form.
std::string_view value_of(const read::EnvEntry& entry) {
  return entry.source == read::EnvSource::value_from ? host_ip_field : entry.value;
}

// The entry is on record as ours and still is what we wrote.
bool written_by_us(const Provenance& before, const read::Container& container,
                   const read::EnvEntry& entry) {
  const auto* recorded = before.find(container.name, entry.variable);
  return recorded != nullptr &&
         text::view(recorded->digest) == text::view(text::digest(value_of(entry)));
}

// What somebody else set: the entry that counts, unless it is ours from an earlier
// pass, which says nothing that is not computed again.
const read::EnvEntry* set_by_others(const Facts& facts, const read::Container& container,
                                    read::Variable variable) {
  const read::EnvEntry* entry = facts.pod->entry(container, variable);
  return entry != nullptr && written_by_us(*facts.before, container, *entry) ? nullptr : entry;
}

constexpr std::uint32_t largest_port = 65535;

// A port as a plain number.
std::optional<std::uint32_t> port_in(const read::EnvEntry& entry) {
  const auto port = text::plain_decimal(entry.value);
  if (entry.source != read::EnvSource::literal || !port || *port == 0 || *port > largest_port)
    return std::nullopt;
  return port;
}

std::uint32_t megascale_port(const Facts& facts, std::uint32_t process) {
  return (facts.ray() ? megascale_port_ray : megascale_port_other) + process;
}

constexpr std::string_view this_machine = "localhost";

// Bytes of all "<host>.<subdomain>" of the slice, without separators.
std::size_t total_name_bytes(const Facts& facts) {
  if (!facts.slice.multi_host()) return this_machine.size();
  const std::string_view given = facts.member->hostnames;
  if (!given.empty()) return given.size() - (facts.slice.hosts - 1);
  return facts.member->names.total_size(facts.slice_index, facts.slice.hosts) +
         facts.slice.hosts * (1 + facts.member->subdomain.size());
}

Error too_long(const Facts& facts, read::Variable variable, std::size_t bytes) {
  return Error(Errc::env_too_long,
               std::string(read::name(variable)) + " would be " + std::to_string(bytes) +
                   " bytes for " + std::to_string(facts.slice.processes) + " processes on " +
                   std::to_string(facts.slice.hosts) + " hosts; the kernel takes " +
                   std::to_string(max_env_bytes) +
                   " for one variable, so no container could start. Shorter names of the "
                   "workload or its Service make it fit");
}

Result<void> check_length(const Facts& facts, read::Variable variable, std::size_t value_bytes) {
  const std::size_t bytes = read::name(variable).size() + 1 + value_bytes;
  if (bytes > max_env_bytes) return too_long(facts, variable, bytes);
  return {};
}

// What stands before the first comma, taken off the front of `list` together with it.
std::string_view take_entry(std::string_view& list) {
  const std::size_t comma = list.find(',');
  const std::string_view entry = list.substr(0, comma);
  list = comma == std::string_view::npos ? std::string_view() : list.substr(comma + 1);
  return entry;
}

// The hosts of the slice one after another: as the user named them, else put together; of
// a slice of one host, this machine.
class HostList {
 public:
  explicit HostList(const Facts& facts)
      : facts_(facts), rest_(facts.slice.multi_host() ? facts.member->hostnames : this_machine) {}

  void next(std::uint32_t host) {
    host_ = host;
    given_ = take_entry(rest_);
  }
  void append_to(text::Buffer& out) const {
    if (!given_.empty()) {
      out.append(given_);
      return;
    }
    facts_.member->names.append(out, facts_.slice_index, host_);
    out.add('.', facts_.member->subdomain);
  }

 private:
  const Facts& facts_;
  std::string_view rest_, given_;
  std::uint32_t host_ = 0;
};

// All that the names of a slice's hosts are made of. Two slices never have one key: what is
// put together was checked and holds no comma, and begins with no '=' or '~'.
void begin_key(const Facts& facts, text::Buffer& key) {
  const workloads::Member& member = *facts.member;
  const workloads::HostNames& names = member.names;
  key.clear();
  if (!facts.slice.multi_host())
    key.append('~');
  else if (!member.hostnames.empty())
    key.add('=', member.hostnames);
  else
    key.add(names.stem, ',', names.stem2, ',', member.subdomain, ',', facts.slice_index, ',',
            facts.slice.hosts, ',', names.first, names.with_slice ? 's' : '-',
            names.numbered ? 'n' : '-', names.bare_first ? 'b' : '-');
}

// The list as a JSON string: each host `each` times, and after its name what `after(i)` adds.
template <class After>
void append_list(const Facts& facts, std::uint32_t each, text::Buffer& out, After&& after) {
  char before = '"';
  HostList hosts(facts);
  for (std::uint32_t host = 0; host < facts.slice.hosts; ++host) {
    hosts.next(host);
    for (std::uint32_t i = 0; i < each; ++i) {
      out.append(std::exchange(before, ','));
      hosts.append_to(out);
      after(i);
    }
  }
  out.append('"');
}

// Once per host for Ray (its webhook's form), once per process elsewhere (LWS's
// form, the only one that JAX before 0.8.1 gets right with two containers).
Result<void> build_hostnames(const Facts& facts, EnvValues& values) {
  const std::uint32_t each = facts.ray() ? 1 : facts.slice.processes_per_host;
  const std::size_t entries = std::size_t{facts.slice.hosts} * each;
  const std::size_t bytes = total_name_bytes(facts) * each + entries - 1;
  if (auto fits = check_length(facts, read::Variable::tpu_worker_hostnames, bytes); !fits)
    return fits;
  begin_key(facts, values.key);
  values.key.add(';', each);
  values.hostnames = &values.all_hostnames.get(values.key.view(), [&](text::Buffer& out) {
    out.reserve(bytes + 4);
    append_list(facts, each, out, [](std::uint32_t) {});
  });
  return {};
}

// The port of process 0: our own, unless a container says which port is its.
std::uint32_t first_port(const Facts& facts, const config::Config& config) {
  const auto& processes = facts.shape->processes;
  for (std::uint32_t i = 0; i < processes.size(); ++i) {
    const read::EnvEntry* own =
        set_by_others(facts, *processes[i], read::Variable::tpu_process_port);
    const auto port = own == nullptr ? std::nullopt : port_in(*own);
    if (port && *port > i) return *port - i;
  }
  return config.base_port;
}

// The port at which the others will look for this process: that of its entry in a list of
// the user's own, if the list has one for each process.
std::optional<std::uint32_t> port_in_list(const Facts& facts, std::uint32_t process) {
  const read::EnvEntry* own =
      set_by_others(facts, *facts.shape->processes[process], read::Variable::tpu_process_addresses);
  if (own == nullptr || own->source != read::EnvSource::literal) return std::nullopt;
  std::string_view rest = own->value;
  if (std::count(rest.begin(), rest.end(), ',') + 1 != std::ptrdiff_t{facts.slice.processes})
    return std::nullopt;
  for (std::uint32_t id = facts.host * facts.slice.processes_per_host + process; id > 0; --id)
    take_entry(rest);
  const std::string_view entry = take_entry(rest);
  const auto colon = entry.rfind(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const bool replaced = facts.slice.multi_host() && entry.starts_with("localhost:");
  const auto port = text::plain_decimal(entry.substr(colon + 1));
  return replaced || !port || *port == 0 || *port > largest_port ? std::nullopt : port;
}

// Ports of the Pod's processes, in order; false if one cannot be read.
bool read_ports(const Facts& facts, const config::Config& config, EnvValues& values) {
  const auto& processes = facts.shape->processes;
  const std::uint32_t first = first_port(facts, config);
  for (std::uint32_t i = 0; i < processes.size(); ++i) {
    const read::EnvEntry* own =
        set_by_others(facts, *processes[i], read::Variable::tpu_process_port);
    const auto port =
        own == nullptr ? std::optional(port_in_list(facts, i).value_or(first + i)) : port_in(*own);
    if (!port || *port > largest_port) return false;
    const auto end = values.ports.begin() + i;
    values.same_port = values.same_port || std::find(values.ports.begin(), end, *port) != end;
    values.ports[i] = *port;
  }
  return true;
}

Result<void> build_addresses(const Facts& facts, const config::Config& config, EnvValues& values) {
  values.ports_unreadable = !read_ports(facts, config, values);
  if (values.ports_unreadable) return {};
  const std::uint32_t each = facts.slice.processes_per_host;
  std::size_t port_bytes = 0;
  for (std::uint32_t i = 0; i < each; ++i) port_bytes += 1 + text::decimal_digits(values.ports[i]);
  const std::size_t bytes =
      total_name_bytes(facts) * each + port_bytes * facts.slice.hosts + facts.slice.processes - 1;
  if (auto fits = check_length(facts, read::Variable::tpu_process_addresses, bytes); !fits)
    return fits;
  begin_key(facts, values.key);
  for (std::uint32_t i = 0; i < each; ++i) values.key.add(';', values.ports[i]);
  values.addresses = &values.all_addresses.get(values.key.view(), [&](text::Buffer& out) {
    out.reserve(bytes + 4);
    append_list(facts, each, out, [&](std::uint32_t i) { out.add(':', values.ports[i]); });
  });
  return {};
}

// torch_tpu's slice builder listens once for each device; a chip of TPU7x is two of them
// (reference/workloads.md 1.4, consumers.md 3.6).
std::uint32_t devices_per_host(const Facts& facts) {
  return facts.slice.chips_per_host * (facts.ironwood() ? 2 : 1);
}

// Dimensions joined by commas, at least three; on TPU7x a fourth of 2.
void build_torch_topology(const Facts& facts, text::Buffer& out) {
  const topology::Dims& dims = facts.slice.dims;
  out.add(dims.axis(0), ',', dims.axis(1), ',', dims.axis(2));
  if (facts.ironwood()) out.append(std::string_view(",2"));
}

// Both or none: an address list without its topology says nothing.
void build_torch(const Facts& facts, const config::Config& config, EnvValues& values) {
  const std::uint32_t first = first_port(facts, config), each = devices_per_host(facts);
  if (each > largest_port || first > largest_port + 1 - each) {
    values.torch_misfit = std::to_string(each) + " ports from " + std::to_string(first) +
                          " on, one for each device of a host, do not end at " +
                          std::to_string(largest_port) + " or before";
    return;
  }
  std::size_t port_bytes = 0;
  for (std::uint32_t i = 0; i < each; ++i) port_bytes += 1 + text::decimal_digits(first + i);
  const std::size_t entries = std::size_t{facts.slice.hosts} * each;
  const std::size_t bytes =
      total_name_bytes(facts) * each + port_bytes * facts.slice.hosts + entries - 1;
  const std::size_t whole =
      read::name(read::Variable::torch_tpu_slicebuilder_addresses).size() + 1 + bytes;
  if (whole > max_env_bytes) {
    values.torch_misfit = "TORCH_TPU_SLICEBUILDER_ADDRESSES would be " + std::to_string(whole) +
                          " bytes for " + std::to_string(entries) + " devices on " +
                          std::to_string(facts.slice.hosts) + " hosts, and the kernel takes " +
                          std::to_string(max_env_bytes);
    return;
  }
  build_torch_topology(facts, values.torch_topology);
  begin_key(facts, values.key);
  values.key.add(';', first, ';', each);
  values.torch_addresses =
      &values.all_torch_addresses.get(values.key.view(), [&](text::Buffer& out) {
        out.reserve(bytes + 4);
        append_list(facts, each, out, [&](std::uint32_t i) { out.add(':', first + i); });
      });
}

void build_coordinator(const Facts& facts, EnvValues& values) {
  if (!facts.member->coordinator.empty()) {
    values.coordinator.append(facts.member->coordinator);
    return;
  }
  const read::Container& first = *facts.shape->processes.front();
  facts.member->names.append(values.coordinator, 0, 0);
  values.coordinator.add('.', facts.member->subdomain);
  if (!facts.ironwood()) return;
  // Each container has a port of its own; the coordinator is container 0 of host 0.
  const read::EnvEntry* own = set_by_others(facts, first, read::Variable::megascale_port);
  const auto port = own == nullptr ? std::optional(megascale_port(facts, 0)) : port_in(*own);
  if (port) values.coordinator.add(':', *port);
}

// Every entry of the list is on this machine: what the platform puts there.
bool only_localhost(std::string_view list) {
  while (!list.empty()) {
    const std::string_view entry = take_entry(list);
    if (entry != "localhost" && !entry.starts_with("localhost:")) return false;
  }
  return true;
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

// Or had, before we put them right.
bool has_local_addresses(const Facts& facts) {
  for (const read::Container* process : facts.shape->processes) {
    if (facts.before->find(process->name, read::Variable::tpu_process_addresses) != nullptr)
      return true;
    const read::EnvEntry* entry = facts.pod->entry(*process, read::Variable::tpu_process_addresses);
    if (entry != nullptr && entry->source == read::EnvSource::literal &&
        is_platform_default(read::Variable::tpu_process_addresses, entry->value))
      return true;
  }
  return false;
}

// JAX on tpu7x needs them; before, they break PyTorch/XLA (reference/consumers.md
// 0.5), so they are only put right where somebody set them to this machine.
bool wants_addresses(const Facts& facts) {
  if (facts.slice.multi_host() && !facts.named) return false;
  if (facts.ironwood()) return facts.slice.processes > 1;
  return facts.slice.multi_host() && has_local_addresses(facts);
}

bool wants_hostnames(const Facts& facts) {
  return facts.slice.multi_host() ? facts.named : facts.ironwood() || facts.slice.processes > 1;
}

bool wants_torch(const Facts& facts, const config::Config& config) {
  return config.torch_tpu && facts.slice.dims.rank() > 0 &&
         (facts.named || !facts.slice.multi_host());
}

bool wants_worker_id(const Facts& facts) {
  if (facts.slice.multi_host()) return facts.named;
  return facts.ironwood() || facts.slice.processes > 1 || facts.ray();
}

// Each Pod of a Job of single hosts is a slice, which its completion index tells apart.
void append_slice_name(const Facts& facts, text::Buffer& out) {
  const workloads::Member& member = *facts.member;
  member.names.append_slice(out, facts.slice_index);
  const bool of_job = member.workload == config::WorkloadKind::job ||
                      member.workload == config::WorkloadKind::jobset;
  if (of_job && !facts.slice.multi_host() && text::plain_decimal(member.host.text))
    out.add('-', member.host.text);
}

}  // namespace

void WantedEnv::add_number(read::Variable variable, std::uint32_t number) {
  char* at = digits.data() + digits_used;
  char* end = std::to_chars(at, digits.data() + digits.size(), number).ptr;
  digits_used = static_cast<std::size_t>(end - digits.data());
  add(variable, {at, static_cast<std::size_t>(end - at)});
}

const WantedVariable* WantedEnv::find(read::Variable variable) const {
  for (std::size_t i = 0; i < count; ++i)
    if (variables[i].variable == variable) return &variables[i];
  return nullptr;
}

bool joins_slices(const Facts& facts, const read::Container& container) {
  const read::EnvEntry* asked =
      set_by_others(facts, container, read::Variable::megascale_num_slices);
  if (asked != nullptr)
    return asked->source == read::EnvSource::value_from || !asked->value.empty();
  if (facts.member->slices_asked) return facts.slice_count > 1;
  return facts.member->slices_are_one_job && facts.slice.multi_host() && facts.slice_count > 1 &&
         facts.member->coordinator_known;
}

Result<void> build_values(const Facts& facts, const config::Config& config, EnvValues& values) {
  values.hostnames = values.addresses = values.torch_addresses = nullptr;
  values.torch_topology.clear();
  values.torch_misfit.clear();
  values.coordinator.clear();
  values.tpu_name.clear();
  values.ports_unreadable = values.same_port = false;

  if (wants_hostnames(facts))
    if (auto built = build_hostnames(facts, values); !built) return built;
  if (wants_addresses(facts))
    if (auto built = build_addresses(facts, config, values); !built) return built;
  if (wants_torch(facts, config)) build_torch(facts, config, values);
  const workloads::HostNames& names = facts.member->names;
  const bool known = facts.named && facts.member->coordinator_known &&
                     facts.member->hostnames.empty() && (names.with_slice || names.numbered);
  if (known || !facts.member->coordinator.empty()) build_coordinator(facts, values);
  if (facts.ray() || (facts.lws() && facts.slice.multi_host()) ||
      (config.tpu_name_everywhere && facts.member->workload != config::WorkloadKind::pod))
    append_slice_name(facts, values.tpu_name);
  return {};
}

namespace {

void want_slices(const Facts& facts, const EnvValues& values, const read::Container& container,
                 std::uint32_t process, WantedEnv& wanted) {
  if (!joins_slices(facts, container) || values.coordinator.empty()) return;
  if (facts.slice_count > 0)
    wanted.add_number(read::Variable::megascale_num_slices, facts.slice_count);
  wanted.add_number(read::Variable::megascale_slice_id, facts.job_slice);
  wanted.add(read::Variable::megascale_coordinator_address, values.coordinator.view());
  // A coordinator of the user's own (Pathways) has a transport of its own too.
  const read::EnvEntry* coordinator =
      set_by_others(facts, container, read::Variable::megascale_coordinator_address);
  const bool theirs =
      coordinator != nullptr && (coordinator->source == read::EnvSource::value_from ||
                                 coordinator->value != values.coordinator.view());
  if (!theirs) wanted.add_number(read::Variable::megascale_port, megascale_port(facts, process));
}

void want_device_plugin(const Facts& facts, const read::Container& container, WantedEnv& wanted) {
  if (!facts.ray()) return;
  // An address of the user's own needs the host's only if it says so.
  const read::EnvEntry* address =
      facts.pod->entry(container, read::Variable::tpu_device_plugin_addr);
  if (address == nullptr || address->value.find(host_ip_reference) != std::string_view::npos)
    wanted.add(read::Variable::tpu_device_plugin_host_ip, host_ip_field);
  wanted.add(read::Variable::tpu_device_plugin_addr, device_plugin_address);
}

// Whoever sets another topology for torch_tpu, or an empty one, has addresses that go with it.
void want_torch(const Facts& facts, const EnvValues& values, const read::Container& container,
                WantedEnv& wanted) {
  if (values.torch_addresses == nullptr) return;
  const read::EnvEntry* theirs =
      set_by_others(facts, container, read::Variable::torch_tpu_topology);
  if (theirs != nullptr && (theirs->source == read::EnvSource::value_from ||
                            theirs->value != values.torch_topology.view()))
    return;
  wanted.add(read::Variable::torch_tpu_topology, values.torch_topology.view());
  wanted.add(read::Variable::torch_tpu_slicebuilder_addresses, *values.torch_addresses);
}

}  // namespace

void want(const Facts& facts, const EnvValues& values, const read::Container& container,
          std::uint32_t process, WantedEnv& wanted) {
  wanted.count = wanted.digits_used = 0;
  want_slices(facts, values, container, process, wanted);
  if (values.hostnames != nullptr)
    wanted.add(read::Variable::tpu_worker_hostnames, *values.hostnames);
  if (values.addresses != nullptr) {
    wanted.add(read::Variable::tpu_process_addresses, *values.addresses);
    wanted.add_number(read::Variable::tpu_process_port, values.ports[process]);
  }
  if (wants_worker_id(facts))
    wanted.add_number(read::Variable::tpu_worker_id,
                      facts.host * facts.slice.processes_per_host + process);
  if (!values.tpu_name.empty()) wanted.add(read::Variable::tpu_name, values.tpu_name.view());
  want_device_plugin(facts, container, wanted);
  want_torch(facts, values, container, wanted);
}

namespace {

// How an entry that is there stands to what is wanted.
enum class Fate { keep_ours, keep_theirs, replace, remove };

// What we compute from these equals them even where the user set them, so without a
// record they are the user's.
bool steers(read::Variable variable) {
  return variable == read::Variable::megascale_num_slices ||
         variable == read::Variable::tpu_process_port;
}

struct Judge {
  const Facts& facts;
  const read::Container& container;
  const Provenance& before;
  // We were here before, and somebody took our record away: a value that is just
  // what we would write was then written by us.
  bool record_lost;

  Judge(const Facts& f, const read::Container& c, const Provenance& b)
      : facts(f),
        container(c),
        before(b),
        record_lost(!b.parsed() && (f.pod->has(read::Annotation::injected) ||
                                    f.pod->has(read::Annotation::slice))) {}

  bool is_ours(const read::EnvEntry& entry, const WantedVariable* want) const {
    if (entry.source == read::EnvSource::value_from &&
        entry.variable != read::Variable::tpu_device_plugin_host_ip)
      return false;
    if (before.find(container.name, entry.variable) != nullptr)
      return written_by_us(before, container, entry);
    return record_lost && !steers(entry.variable) && want != nullptr &&
           want->value == value_of(entry);
  }

  Fate fate(const read::EnvEntry& entry, const WantedVariable* want) const {
    const bool ours = is_ours(entry, want);
    const Fate keep = ours ? Fate::keep_ours : Fate::keep_theirs;
    if (want == nullptr) return ours ? Fate::remove : Fate::keep_theirs;
    if (entry.source == read::EnvSource::value_from || !entry.has_value ||
        entry.value == want->value)
      return keep;
    const bool platform =
        facts.slice.multi_host() && is_platform_default(entry.variable, entry.value);
    return ours || platform ? Fate::replace : Fate::keep_theirs;
  }
};

struct Reconciler {
  const Judge judge;
  const Facts& facts;
  const read::Container& container;
  const WantedEnv& wanted;
  bool frozen;
  write::Patch& patch;
  Provenance& after;
  Notes& notes;

  std::string_view list() const {
    return container.init ? std::string_view("/spec/initContainers/")
                          : std::string_view("/spec/containers/");
  }
  write::Surface row(write::Surface main, write::Surface init) const {
    return container.init ? init : main;
  }

  void replace(const read::EnvEntry& entry, const WantedVariable& want) {
    patch.begin(write::PatchOp::replace,
                row(write::Surface::env_value, write::Surface::init_env_value), list(),
                container.index, std::string_view("/env/"), entry.index,
                std::string_view("/value"));
    append_value(want);
    patch.end();
  }

  void append_value(const WantedVariable& want) {
    if (want.shared != nullptr)
      patch.append(*want.shared);
    else
      patch.json().add('"', want.value, '"');
  }

  void record(const WantedVariable& want) {
    if (want.shared != nullptr)
      after.record(container.name, want.variable, want.shared->value_digest);
    else
      after.record(container.name, want.variable, want.value);
  }

  void append_entry(const WantedVariable& variable) {
    text::Buffer& out = patch.json();
    out.add(std::string_view("{\"name\":\""), read::name(variable.variable));
    if (variable.variable == read::Variable::tpu_device_plugin_host_ip)
      out.add(std::string_view("\",\"valueFrom\":{\"fieldRef\":{\"fieldPath\":\""), variable.value,
              std::string_view("\"}}}"));
    else {
      out.append(std::string_view("\",\"value\":"));
      append_value(variable);
      out.append('}');
    }
  }

  void insert(const WantedVariable& variable, std::uint32_t at) {
    patch.begin(write::PatchOp::add, row(write::Surface::env_entry, write::Surface::init_env_entry),
                list(), container.index, std::string_view("/env/"), at);
    append_entry(variable);
    patch.end();
  }

  void make_list(const std::array<const WantedVariable*, read::variable_count>& missing,
                 std::size_t count) {
    patch.begin(write::PatchOp::add, row(write::Surface::env, write::Surface::init_env), list(),
                container.index, std::string_view("/env"));
    for (std::size_t i = 0; i < count; ++i) {
      patch.json().append(i == 0 ? '[' : ',');
      append_entry(*missing[i]);
    }
    patch.json().append(']');
    patch.end();
  }

  void run();
  void insert_missing(const std::array<const WantedVariable*, read::variable_count>& missing,
                      std::size_t count,
                      const std::array<std::uint32_t, read::variable_count>& removed,
                      std::size_t removed_count);
  void note_contradiction(const read::EnvEntry& entry, const WantedVariable& want);
};

// A value that is there and is not ours stays; that the rest of the set says
// something else is worth a sentence. An empty one is an opt-out.
void Reconciler::note_contradiction(const read::EnvEntry& entry, const WantedVariable& want) {
  if (entry.source == read::EnvSource::value_from || entry.value.empty() ||
      entry.value == want.value)
    return;
  // LeaderWorkerSet's own webhook gives all subgroups of a group one name.
  if (facts.lws() && entry.variable == read::Variable::tpu_name) return;
  notes.warn(std::string(read::name(entry.variable)) + " of container " +
             text::printable(container.name, 63) + " is " + text::printable(entry.value, 40) +
             " and stays; this Pod's place in the slice makes it " +
             text::printable(want.value, 40));
}

void Reconciler::insert_missing(
    const std::array<const WantedVariable*, read::variable_count>& missing, std::size_t count,
    const std::array<std::uint32_t, read::variable_count>& removed, std::size_t removed_count) {
  if (container.env == read::Presence::absent) return make_list(missing, count);
  std::uint32_t front = 0;
  const read::EnvEntry* host_ip =
      facts.pod->entry(container, read::Variable::tpu_device_plugin_host_ip);
  const WantedVariable* address = nullptr;
  for (std::size_t i = 0; i < count; ++i) {
    // $(NAME) is expanded from what stands before it only.
    if (missing[i]->variable == read::Variable::tpu_device_plugin_addr && host_ip != nullptr)
      address = missing[i];
    else
      insert(*missing[i], front++);
  }
  if (address == nullptr) return;
  const auto gone_before = static_cast<std::uint32_t>(
      std::count_if(removed.begin(), removed.begin() + static_cast<std::ptrdiff_t>(removed_count),
                    [&](std::uint32_t index) { return index < host_ip->index; }));
  insert(*address, host_ip->index - gone_before + front + 1);
}

void Reconciler::run() {
  const read::Pod& pod = *facts.pod;
  std::array<const WantedVariable*, read::variable_count> missing{};
  std::array<std::uint32_t, read::variable_count> removed{};
  std::size_t missing_count = 0, removed_count = 0;

  for (std::size_t v = 0; v < read::variable_count; ++v) {
    const auto variable = static_cast<read::Variable>(v);
    const WantedVariable* want = wanted.find(variable);
    const read::EnvEntry* entry = pod.entry(container, variable);
    if (entry == nullptr) {
      if (want == nullptr) continue;
      missing[missing_count++] = want;
      record(*want);
      continue;
    }
    switch (judge.fate(*entry, want)) {
      case Fate::keep_ours:
        after.record(container.name, variable, value_of(*entry));
        break;
      case Fate::replace:
        if (!frozen) replace(*entry, *want);
        record(*want);
        break;
      case Fate::remove:
        removed[removed_count++] = entry->index;
        break;
      case Fate::keep_theirs:
        if (want != nullptr) note_contradiction(*entry, *want);
        break;
    }
  }
  if (frozen) return;
  // From the back, so that the indices in front stay what they were.
  std::sort(removed.begin(), removed.begin() + static_cast<std::ptrdiff_t>(removed_count),
            std::greater<>());
  for (std::size_t i = 0; i < removed_count; ++i) {
    patch.begin(write::PatchOp::remove,
                row(write::Surface::env_gone, write::Surface::init_env_gone), list(),
                container.index, std::string_view("/env/"), removed[i]);
    patch.end();
  }
  if (missing_count > 0) insert_missing(missing, missing_count, removed, removed_count);
}

}  // namespace

void add_theirs(const Facts& facts, const read::Container& container, const WantedEnv& wanted,
                const Provenance& before, text::Digester& inputs) {
  const Judge judge(facts, container, before);
  for (std::size_t v = 0; v < read::variable_count; ++v) {
    const auto variable = static_cast<read::Variable>(v);
    const read::EnvEntry* entry = facts.pod->entry(container, variable);
    if (entry == nullptr || judge.fate(*entry, wanted.find(variable)) != Fate::keep_theirs)
      continue;
    inputs.add(std::uint64_t{v}).add(value_of(*entry));
  }
}

bool lost_variable(const read::Pod& pod, const read::Container& container,
                   const Provenance& before) {
  return std::ranges::any_of(before.entries(), [&](const Provenance::Entry& entry) {
    return entry.container == container.name && pod.entry(container, entry.variable) == nullptr;
  });
}

void reconcile(const Facts& facts, const read::Container& container, const WantedEnv& wanted,
               const Provenance& before, bool frozen, write::Patch& patch, Provenance& after,
               Notes& notes) {
  Reconciler{Judge(facts, container, before), facts, container, wanted, frozen, patch, after, notes}
      .run();
}

}  // namespace tpuwh::webhook::decide
