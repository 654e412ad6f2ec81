#include "webhook/env/host_list.hpp"

namespace tpuwh::webhook::env {

namespace {

// Bytes of all "<host>.<subdomain>" of the slice, without separators.
std::size_t total_name_bytes(const facts::Facts& facts) {
  if (!facts.slice.multi_host()) return this_machine.size();
  const std::string_view given = facts.member->hostnames;
  if (!given.empty()) return given.size() - (facts.slice.hosts - 1);
  return facts.member->names.total_size(facts.slice_index, facts.slice.hosts) +
         facts.slice.hosts * (1 + facts.member->subdomain.size());
}

}  // namespace

std::size_t list_bytes(const facts::Facts& facts, std::uint32_t each, std::size_t port_bytes) {
  const std::size_t entries = std::size_t{facts.slice.hosts} * each;
  return total_name_bytes(facts) * each + port_bytes * facts.slice.hosts + entries - 1;
}

void begin_key(const facts::Facts& facts, base::Buffer& key) {
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

}  // namespace tpuwh::webhook::env
