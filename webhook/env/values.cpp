#include "webhook/env/values.hpp"

#include "base/names.hpp"
#include "webhook/env/host_list.hpp"
#include "webhook/facts/env_entry.hpp"
#include "webhook/findings/errc.hpp"

namespace tpuwh::webhook::env {

namespace {

Error too_long(const facts::Facts& facts, read::Variable variable, std::size_t bytes) {
  return Error(findings::Errc::env_too_long,
               std::string(read::name(variable)) + " would be " + std::to_string(bytes) +
                   " bytes for " + std::to_string(facts.slice.processes) + " processes on " +
                   std::to_string(facts.slice.hosts) + " hosts; the kernel accepts at most " +
                   std::to_string(max_env_bytes) +
                   " for one variable, so no container could start. Shorten the name of the "
                   "workload or its Service");
}

Result<void> check_length(const facts::Facts& facts, read::Variable variable,
                          std::size_t value_bytes) {
  const std::size_t bytes = read::name(variable).size() + 1 + value_bytes;
  if (bytes > max_env_bytes) return too_long(facts, variable, bytes);
  return {};
}

// Once per host for Ray (its webhook's form), once per process elsewhere (LWS's
// form, the only one that JAX before 0.8.1 gets right with two containers).
Result<void> build_hostnames(const facts::Facts& facts, EnvValues& values) {
  const std::uint32_t each = facts.ray() ? 1 : facts.slice.processes_per_host;
  // Before it is built: hosts and names are a stranger's numbers.
  const std::size_t bytes = list_bytes(facts, each, 0);
  if (auto fits = check_length(facts, read::Variable::tpu_worker_hostnames, bytes); !fits)
    return fits;
  begin_key(facts, values.key);
  values.key.add(';', each);
  values.hostnames = &values.all_hostnames.get(values.key.view(), [&](write::Json& out) {
    out.reserve(bytes + 4);
    append_list(facts, each, out, [](std::uint32_t) {});
  });
  return {};
}

Result<void> build_addresses(const facts::Facts& facts, const config::Config& config,
                             EnvValues& values) {
  values.ports = read_ports(facts, config);
  if (values.ports.unreadable) return {};
  const auto& ports = values.ports.of;
  const std::uint32_t each = facts.slice.processes_per_host;
  std::size_t port_bytes = 0;
  for (std::uint32_t i = 0; i < each; ++i) port_bytes += 1 + base::decimal_digits(ports[i]);
  const std::size_t bytes = list_bytes(facts, each, port_bytes);
  if (auto fits = check_length(facts, read::Variable::tpu_process_addresses, bytes); !fits)
    return fits;
  begin_key(facts, values.key);
  for (std::uint32_t i = 0; i < each; ++i) values.key.add(';', ports[i]);
  values.addresses = &values.all_addresses.get(values.key.view(), [&](write::Json& out) {
    out.reserve(bytes + 4);
    append_list(facts, each, out, [&](std::uint32_t i) { out << ":" << ports[i]; });
  });
  return {};
}

// torch_tpu's slice builder listens once for each device (docs/facts.md#torch-tpu).
std::uint32_t devices_per_host(const facts::Facts& facts) {
  return facts.slice.chips_per_host * facts.slice.traits.devices_per_chip;
}

// Dimensions joined by commas, at least three; a fourth is the devices of a chip that has several.
void build_torch_topology(const facts::Facts& facts, base::Buffer& out) {
  const topology::Dims& dims = facts.slice.dims;
  out.add(dims.axis(0), ',', dims.axis(1), ',', dims.axis(2));
  const std::uint32_t devices = facts.slice.traits.devices_per_chip;
  if (devices > 1) out.add(',', devices);
}

// Why torch_tpu cannot have its ports, or "".
std::string ports_misfit(std::uint32_t first, std::uint32_t each) {
  if (each <= largest_port && first <= largest_port + 1 - each) return {};
  return std::to_string(each) + " ports from " + std::to_string(first) +
         ", one for each device of a host, exceed " + std::to_string(largest_port);
}

// The same of its list.
std::string torch_too_long(const facts::Facts& facts, std::uint32_t each, std::size_t bytes) {
  const std::size_t whole =
      read::name(read::Variable::torch_tpu_slicebuilder_addresses).size() + 1 + bytes;
  if (whole <= max_env_bytes) return {};
  return "TORCH_TPU_SLICEBUILDER_ADDRESSES would be " + std::to_string(whole) + " bytes for " +
         std::to_string(std::size_t{facts.slice.hosts} * each) + " devices on " +
         std::to_string(facts.slice.hosts) + " hosts; the kernel accepts at most " +
         std::to_string(max_env_bytes);
}

// Both or none: an address list without its topology says nothing.
void build_torch(const facts::Facts& facts, const config::Config& config, EnvValues& values) {
  const std::uint32_t first = first_port(facts, config), each = devices_per_host(facts);
  values.torch_misfit = ports_misfit(first, each);
  if (!values.torch_misfit.empty()) return;
  std::size_t port_bytes = 0;
  for (std::uint32_t i = 0; i < each; ++i) port_bytes += 1 + base::decimal_digits(first + i);
  const std::size_t bytes = list_bytes(facts, each, port_bytes);
  values.torch_misfit = torch_too_long(facts, each, bytes);
  if (!values.torch_misfit.empty()) return;
  build_torch_topology(facts, values.torch_topology);
  begin_key(facts, values.key);
  values.key.add(';', first, ';', each);
  values.torch_addresses =
      &values.all_torch_addresses.get(values.key.view(), [&](write::Json& out) {
        out.reserve(bytes + 4);
        append_list(facts, each, out, [&](std::uint32_t i) { out << ":" << first + i; });
      });
}

void build_coordinator(const facts::Facts& facts, EnvValues& values) {
  if (!facts.member->coordinator.empty()) {
    values.coordinator.append(facts.member->coordinator);
    return;
  }
  const read::Container& first = *facts.shape->processes.front();
  facts.member->names.append(values.coordinator, 0, 0);
  values.coordinator.add('.', facts.member->subdomain);
  if (!facts.slice.traits.shares_host()) return;
  // Each container has a port of its own; the coordinator is container 0 of host 0.
  const read::EnvEntry* own = facts::set_by_others(facts, first, read::Variable::megascale_port);
  const auto port = own == nullptr ? std::optional(megascale_port(facts, 0)) : port_in(*own);
  if (port) values.coordinator.add(':', *port);
}

// A list of this machine alone; or there was one, before we put them right.
bool has_local_addresses(const facts::Facts& facts) {
  for (const read::Container* process : facts.shape->processes) {
    if (facts.before->find(process->name, read::Variable::tpu_process_addresses) != nullptr)
      return true;
    const read::EnvEntry* entry = facts.pod->entry(*process, read::Variable::tpu_process_addresses);
    if (entry != nullptr && entry->source == read::EnvSource::literal &&
        facts::is_platform_default(read::Variable::tpu_process_addresses, entry->value))
      return true;
  }
  return false;
}

// JAX needs them on some generations; on others they break PyTorch/XLA
// (docs/facts.md#process-addresses-break-xla), so they are only put right where somebody set them
// to this machine.
bool wants_addresses(const facts::Facts& facts) {
  if (facts.slice.multi_host() && !facts.named) return false;
  if (facts.slice.traits.process_addresses) return facts.slice.processes > 1;
  return facts.slice.multi_host() && has_local_addresses(facts);
}

bool wants_hostnames(const facts::Facts& facts) {
  return facts.slice.multi_host() ? facts.named
                                  : facts.slice.traits.ids_by_webhook || facts.slice.processes > 1;
}

bool wants_torch(const facts::Facts& facts, const config::Config& config) {
  return config.torch_tpu && facts.slice.dims.rank() > 0 &&
         (facts.named || !facts.slice.multi_host());
}

// Each Pod of a Job of single hosts, for instance, is a slice, which its index tells apart.
void append_slice_name(const facts::Facts& facts, base::Buffer& out) {
  const workloads::Member& member = *facts.member;
  member.names.append_slice(out, facts.slice_index);
  if (member.index_names_slice && !facts.slice.multi_host() &&
      base::plain_decimal(member.host.text))
    out.add('-', member.host.text);
}

}  // namespace

Result<void> build_values(const facts::Facts& facts, const config::Config& config,
                          EnvValues& values) {
  values.hostnames = values.addresses = values.torch_addresses = nullptr;
  values.torch_topology.clear();
  values.torch_misfit.clear();
  values.coordinator.clear();
  values.tpu_name.clear();
  values.ports.unreadable = values.ports.same = false;

  if (wants_hostnames(facts))
    if (auto built = build_hostnames(facts, values); !built) return built;
  if (wants_addresses(facts))
    if (auto built = build_addresses(facts, config, values); !built) return built;
  if (wants_torch(facts, config)) build_torch(facts, config, values);
  const workloads::HostNames& names = facts.member->names;
  const bool known = facts.named && facts.member->coordinator_known &&
                     facts.member->hostnames.empty() && (names.with_slice || names.numbered);
  if (known || !facts.member->coordinator.empty()) build_coordinator(facts, values);
  if (facts.ray() || (facts.lws() && facts.member->incomplete.empty()) ||
      (config.tpu_name_everywhere && facts.member->workload != config::WorkloadKind::pod))
    append_slice_name(facts, values.tpu_name);
  return {};
}

}  // namespace tpuwh::webhook::env
