#include "webhook/env/process_ports.hpp"

#include "base/names.hpp"
#include "webhook/facts/env_entry.hpp"

#include <algorithm>

namespace tpuwh::webhook::env {

namespace {

// Ray serves its metrics on 8080, MegaScale's own default (docs/facts.md#ports).
constexpr std::uint16_t megascale_port_ray = 8081;
constexpr std::uint16_t megascale_port_other = 8080;

// The port at which the others will look for this process: that of its entry in a list of
// the user's own, if the list has one for each process. With 8471 beside such a list a process
// listened where nobody looked, and libtpu waited forever.
std::optional<std::uint32_t> port_in_list(const facts::Facts& facts, std::uint32_t process) {
  const read::EnvEntry* own = facts::set_by_others(facts, *facts.shape->processes[process],
                                                   read::Variable::tpu_process_addresses);
  if (own == nullptr || own->source != read::EnvSource::literal) return std::nullopt;
  std::string_view rest = own->value;
  if (std::count(rest.begin(), rest.end(), ',') + 1 != std::ptrdiff_t{facts.slice.processes})
    return std::nullopt;
  const std::uint64_t index = std::uint64_t{facts.host} * facts.slice.processes_per_host + process;
  for (std::uint64_t id = 0; id < index && !rest.empty(); ++id) facts::take_entry(rest);
  const std::string_view entry = facts::take_entry(rest);
  const auto colon = entry.rfind(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const bool replaced = facts.slice.multi_host() && entry.starts_with("localhost:");
  const auto port = base::plain_decimal(entry.substr(colon + 1));
  return replaced || !port || *port == 0 || *port > largest_port ? std::nullopt : port;
}

}  // namespace

std::optional<std::uint32_t> port_in(const read::EnvEntry& entry) {
  const auto port = base::plain_decimal(entry.value);
  if (entry.source != read::EnvSource::literal || !port || *port == 0 || *port > largest_port)
    return std::nullopt;
  return port;
}

std::uint32_t first_port(const facts::Facts& facts, const config::Config& config) {
  const auto& processes = facts.shape->processes;
  for (std::uint32_t i = 0; i < processes.size(); ++i) {
    // By others: a port of ours would be taken for the user's on the second pass.
    const read::EnvEntry* own =
        facts::set_by_others(facts, *processes[i], read::Variable::tpu_process_port);
    const auto port = own == nullptr ? std::nullopt : port_in(*own);
    if (port && *port > i) return *port - i;
  }
  return config.base_port;
}

ProcessPorts read_ports(const facts::Facts& facts, const config::Config& config) {
  ProcessPorts ports;
  const auto& processes = facts.shape->processes;
  const std::uint32_t first = first_port(facts, config);
  for (std::uint32_t i = 0; i < processes.size(); ++i) {
    const read::EnvEntry* own =
        facts::set_by_others(facts, *processes[i], read::Variable::tpu_process_port);
    const auto port =
        own == nullptr ? std::optional(port_in_list(facts, i).value_or(first + i)) : port_in(*own);
    ports.unreadable = !port || *port > largest_port;
    if (ports.unreadable) break;
    const auto end = ports.of.begin() + i;
    ports.same = ports.same || std::find(ports.of.begin(), end, *port) != end;
    ports.of[i] = *port;
  }
  return ports;
}

std::uint32_t megascale_port(const facts::Facts& facts, std::uint32_t process) {
  return (facts.ray() ? megascale_port_ray : megascale_port_other) + process;
}

}  // namespace tpuwh::webhook::env
