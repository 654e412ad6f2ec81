#include "webhook/identity/member_names.hpp"

#include "base/names.hpp"
#include "webhook/findings/errc.hpp"
#include "webhook/identity/contradictions.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

namespace tpuwh::webhook::identity {

namespace {

using findings::Finding;

std::string_view first_of(std::string_view text, char mark) {
  return text.substr(0, text.find(mark));
}

// Of a name that is not a DNS label. Ends of the sentence: where it is too long, and where a
// character is wrong.
Error wrong_name(std::string_view what, std::string_view name, std::string_view too_long,
                 std::string_view wrong) {
  if (base::has_placeholder(name)) return not_filled_in(what, name);
  const std::string shown = std::string(what) + ' ' + base::printable(name, 100);
  if (name.size() > base::max_label_length)
    return Error(findings::Errc::name_too_long, shown + " has " + std::to_string(name.size()) +
                                                    " characters, a DNS label has at most 63" +
                                                    std::string(too_long));
  return Error(findings::Errc::bad_name, shown + " is not a DNS label" + std::string(wrong));
}

// A group of JobSet's whose jobs were not told where they meet, and do not say it themselves.
void note_group(const facts::Facts& facts, outcome::Notes& notes) {
  const workloads::Member& member = *facts.member;
  if (!member.coordinator.empty() || !facts.slice.multi_host() || facts.slice_count < 2) return;
  const read::Container& process = *facts.shape->processes.front();
  for (const read::Variable each :
       {read::Variable::megascale_num_slices, read::Variable::megascale_coordinator_address})
    if (facts.pod->entry(process, each) != nullptr) return;
  notes.warn(Finding::coordinator_missing,
             "the " + std::to_string(facts.slice_count) +
                 " slices of this group are several replicated jobs, and nothing names host 0 of "
                 "slice 0: set spec.coordinator of the JobSet; no MEGASCALE variable was injected");
}

// With dnsPolicy None everything comes from dnsConfig. Whether its name servers are the cluster's
// is not known.
bool searches_namespace(const read::Pod& pod, std::string_view ns) {
  return std::any_of(pod.values.begin() + pod.searches_begin, pod.values.begin() + pod.searches_end,
                     [&](std::string_view domain) {
                       if (!domain.starts_with(ns)) return false;
                       domain.remove_prefix(ns.size());
                       return domain == ".svc" || domain.starts_with(".svc.");
                     });
}

}  // namespace

Result<void> check_names(const facts::Facts& facts, CheckedNames& checked, base::Buffer& text) {
  const workloads::Member& member = *facts.member;
  text.clear();
  member.names.append(text, facts.slice_index, facts.slice.hosts - 1);
  const std::string_view longest = text.view();
  if (longest == checked.host && member.subdomain == checked.subdomain) return {};
  if (!base::is_dns_label(longest))
    return wrong_name("host name", longest, "; shorten the name of the workload or its group",
                      ": lower-case letters, digits and inner dashes only");
  if (!base::is_dns_label(member.subdomain))
    return wrong_name("subdomain", member.subdomain, "; shorten the name of the workload",
                      ", so no host of the slice would resolve");
  checked.host.clear();  // is no name, should there be no memory for the next line
  checked.subdomain = member.subdomain;
  checked.host = longest;
  return {};
}

Result<void> check_group(const facts::Facts& facts) {
  const workloads::Member& member = *facts.member;
  const std::pair<std::string_view, std::string_view> names[] = {
      {"label ray.io/cluster", member.group}, {"label ray.io/group", member.part}};
  for (const auto& [what, name] : names) {
    if (base::has_placeholder(name)) return not_filled_in(what, name);
    if (!base::is_label_value(name))
      return Error(findings::Errc::bad_name,
                   std::string(what) + " is " + base::printable(name, 100) +
                       ", which is not a label value: 1 to 63 letters, digits "
                       "and inner dashes, underscores and dots");
  }
  const std::string_view uid = facts.pod->owner.uid;
  if (uid.size() <= read::max_uid_bytes) return {};
  return Error(findings::Errc::bad_name, "the uid of the Pod's owner has " +
                                             std::to_string(uid.size()) +
                                             " bytes, the API server's have 36");
}

std::string wrong_hostname(const facts::Facts& facts, base::Buffer& text) {
  text.clear();
  facts.member->names.append(text, facts.slice_index, facts.host);
  if (facts.pod->hostname.empty() || facts.pod->hostname == text.view()) return {};
  if (facts.copied()) return {};  // written for the Pod it was copied from
  return "spec.hostname is " + base::printable(facts.pod->hostname) +
         ", but by its labels the Pod is " + base::printable(text.view());
}

void note_resolving(const read::Pod& pod, std::string_view ns, outcome::Notes& notes) {
  if (!pod.hostname_override.empty())
    notes.warn(
        Finding::names_do_not_resolve,
        "spec.hostnameOverride removes the Pod's DNS name; the other hosts of the slice cannot "
        "resolve it");
  if (pod.dns_policy == "Default")
    notes.warn(Finding::names_do_not_resolve,
               "dnsPolicy Default asks the node's name servers, which do not know the cluster's "
               "names; the host names of the slice do not resolve");
  else if (pod.dns_policy == "None" && !searches_namespace(pod, ns))
    notes.warn(Finding::names_do_not_resolve,
               "dnsPolicy None, and dnsConfig.searches has no " + base::printable(ns) +
                   ".svc; the host names of the slice do not resolve");
  else if (pod.host_network && pod.dns_policy != "ClusterFirstWithHostNet")
    notes.warn(Finding::names_do_not_resolve,
               "hostNetwork without dnsPolicy: ClusterFirstWithHostNet; the host names of the "
               "slice do not resolve");
}

std::string wrong_hostnames(const facts::Facts& facts) {
  const std::string_view all = facts.member->hostnames;
  const std::string_view own = facts.pod->hostname.empty() ? facts.pod->name : facts.pod->hostname;
  std::vector<std::string_view> names;
  for (std::string_view rest = all;;) {
    const std::size_t comma = rest.find(',');
    names.push_back(rest.substr(0, comma));
    if (!base::is_host_name(names.back()))
      return "annotation hostnames: entry " + std::to_string(names.size() - 1) + ", " +
             base::printable(names.back()) + ", is not a host name (give no port)";
    if (comma == std::string_view::npos) break;
    rest.remove_prefix(comma + 1);
  }
  if (names.size() != facts.slice.hosts)
    return "annotation hostnames has " + std::to_string(names.size()) + " entries, but " +
           hosts_of(facts.slice);
  for (std::uint32_t host = 0; host < names.size(); ++host)
    if (!own.empty() && first_of(names[host], '.') == own && host != facts.host)
      return "annotation hostnames has this Pod, " + base::printable(own) + ", as host " +
             std::to_string(host) + ", but it is host " + std::to_string(facts.host);
  std::ranges::sort(names);
  if (const auto twice = std::ranges::adjacent_find(names); twice != names.end())
    return "annotation hostnames has " + base::printable(*twice) + " twice";
  return {};
}

std::string wrong_coordinator(const workloads::Member& member) {
  if (member.coordinator.empty()) return {};
  const std::string_view host = first_of(member.coordinator, ':');
  const std::string_view port = member.coordinator.substr(host.size());
  if (base::is_host_name(host) && (port.empty() || base::plain_decimal(port.substr(1)))) return {};
  return "annotation coordinator is " + base::printable(member.coordinator) +
         ", which is not a host name, alone or with a port";
}

void note_coordinator(const facts::Facts& facts, outcome::Notes& notes) {
  const workloads::Member& member = *facts.member;
  if (member.of_several_owners) return note_group(facts, notes);
  if (!member.slices_asked || facts.slice_count < 2 || !member.coordinator.empty()) return;
  if (member.coordinator_known && member.hostnames.empty() && facts.named) return;
  notes.warn(Finding::coordinator_missing,
             "annotation slice-count makes this one slice of " + std::to_string(facts.slice_count) +
                 ", but nothing names host 0 of slice 0: add annotation coordinator; no MEGASCALE "
                 "variable was injected");
}

}  // namespace tpuwh::webhook::identity
