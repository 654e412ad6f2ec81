#include "webhook/identity/member_names.hpp"

#include "webhook/identity/contradictions.hpp"
#include "webhook/text/names.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

namespace tpuwh::webhook::identity {

namespace {

std::string_view first_of(std::string_view text, char mark) {
  return text.substr(0, text.find(mark));
}

}  // namespace

Result<void> check_names(const facts::Facts& facts, text::Buffer& text) {
  const workloads::Member& member = *facts.member;
  text.clear();
  member.names.append(text, facts.slice_index, facts.slice.hosts - 1);
  const std::string_view longest = text.view();
  if (longest.size() > text::max_label_length)
    return Error(Errc::name_too_long,
                 "host name " + text::printable(longest, 100) + " has " +
                     std::to_string(longest.size()) +
                     " characters, a DNS label has at most 63; shorten the name of "
                     "the workload or its group");
  if (!text::is_dns_label(longest))
    return Error(Errc::bad_name, "host name " + text::printable(longest, 100) +
                                     " is not a DNS label: lower-case letters, digits and inner "
                                     "dashes only");
  if (member.subdomain.size() > text::max_label_length)
    return Error(Errc::name_too_long,
                 "subdomain " + text::printable(member.subdomain, 100) + " has " +
                     std::to_string(member.subdomain.size()) +
                     " characters, a DNS label has at most 63; shorten the name of the workload");
  if (!text::is_dns_label(member.subdomain))
    return Error(Errc::bad_name, "subdomain " + text::printable(member.subdomain, 100) +
                                     " is not a DNS label, so no host of the slice would resolve");
  return {};
}

std::string wrong_hostname(const facts::Facts& facts, text::Buffer& text) {
  text.clear();
  facts.member->names.append(text, facts.slice_index, facts.host);
  if (facts.pod->hostname.empty() || facts.pod->hostname == text.view()) return {};
  if (facts.copied()) return {};  // written for the Pod it was copied from
  return "spec.hostname is " + text::printable(facts.pod->hostname) +
         ", but by its labels the Pod is " + text::printable(text.view());
}

void note_resolving(const read::Pod& pod, outcome::Notes& notes) {
  if (!pod.hostname_override.empty())
    notes.warn(
        "spec.hostnameOverride removes the Pod's DNS name; the other hosts of the slice cannot "
        "resolve it");
  if (pod.dns_policy == "Default" || pod.dns_policy == "None")
    notes.warn("dnsPolicy " + text::printable(pod.dns_policy) +
               " has no cluster search path; the host names of the slice will not resolve");
  else if (pod.host_network && pod.dns_policy != "ClusterFirstWithHostNet")
    notes.warn(
        "hostNetwork without dnsPolicy: ClusterFirstWithHostNet; the host names of the slice "
        "will not resolve");
}

std::string wrong_hostnames(const facts::Facts& facts) {
  const std::string_view all = facts.member->hostnames;
  const std::string_view own = facts.pod->hostname.empty() ? facts.pod->name : facts.pod->hostname;
  std::vector<std::string_view> names;
  for (std::string_view rest = all;;) {
    const std::size_t comma = rest.find(',');
    names.push_back(rest.substr(0, comma));
    if (!text::is_host_name(names.back()))
      return "annotation hostnames: entry " + std::to_string(names.size() - 1) + ", " +
             text::printable(names.back()) + ", is not a host name (give no port)";
    if (comma == std::string_view::npos) break;
    rest.remove_prefix(comma + 1);
  }
  if (names.size() != facts.slice.hosts)
    return "annotation hostnames has " + std::to_string(names.size()) + " entries, but " +
           hosts_of(facts.slice);
  for (std::uint32_t host = 0; host < names.size(); ++host)
    if (!own.empty() && first_of(names[host], '.') == own && host != facts.host)
      return "annotation hostnames has this Pod, " + text::printable(own) + ", as host " +
             std::to_string(host) + ", but it is host " + std::to_string(facts.host);
  std::ranges::sort(names);
  if (const auto twice = std::ranges::adjacent_find(names); twice != names.end())
    return "annotation hostnames has " + text::printable(*twice) + " twice";
  return {};
}

std::string wrong_coordinator(const workloads::Member& member) {
  if (member.coordinator.empty() || text::is_host_name(first_of(member.coordinator, ':')))
    return {};
  return "annotation coordinator is " + text::printable(member.coordinator) +
         ", which is not a host name";
}

void note_coordinator(const facts::Facts& facts, outcome::Notes& notes) {
  const workloads::Member& member = *facts.member;
  if (!member.slices_asked || facts.slice_count < 2 || !member.coordinator.empty()) return;
  if (member.coordinator_known && member.hostnames.empty() && facts.named) return;
  notes.warn("annotation slice-count makes this one slice of " + std::to_string(facts.slice_count) +
             ", but nothing names host 0 of slice 0: add annotation coordinator; no MEGASCALE "
             "variable was injected");
}

}  // namespace tpuwh::webhook::identity
