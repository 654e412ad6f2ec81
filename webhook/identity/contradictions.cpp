#include "webhook/identity/contradictions.hpp"

#include "base/counted.hpp"
#include "base/names.hpp"
#include "webhook/findings/errc.hpp"

namespace tpuwh::webhook::identity {

std::string hosts_of(const topology::Slice& slice) {
  const std::string hosts = base::counted(slice.hosts, "host");
  if (slice.dims.rank() == 0) return "the slice has " + hosts;
  return slice.dims.text() + " with " + std::to_string(slice.chips_per_host) +
         " chips per Pod has " + hosts;
}

Error not_filled_in(std::string_view what, std::string_view text) {
  return Error(findings::Errc::not_filled_in, std::string(what) + ' ' + base::printable(text, 100) +
                                                  " contains a placeholder that was not filled in");
}

std::string group_misfit(const facts::Facts& facts) {
  const workloads::Member& member = *facts.member;
  if (!facts.slice.multi_host() || member.group_size.key.empty()) return {};
  const auto size = base::plain_decimal(member.group_size.text);
  const std::string_view slice_text =
      member.subgroup_size.present() ? member.subgroup_size.text : member.group_size.text;
  const auto slice_size = base::plain_decimal(slice_text);
  if (!size || !slice_size || *size == 0 || *slice_size == 0)
    return base::printable(member.kind) + ' ' + base::printable(member.group) + ": group size " +
           base::printable(member.group_size.text) + " and subgroup size " +
           base::printable(slice_text) + " are not both whole numbers above 0";
  const std::uint32_t members = *size - member.names.first;
  const bool subgroups = member.subgroup_size.present();
  const std::uint32_t hosts = subgroups ? *slice_size : members;
  const std::string leader =
      member.names.first > 0 ? " without its leader, which is not in a slice," : "";
  if (subgroups && members % hosts != 0)
    return "a group of " + std::to_string(*size) + leader + " cannot be split into subgroups of " +
           std::to_string(hosts);
  if (hosts == facts.slice.hosts) return {};
  return std::string(subgroups ? "a subgroup" : "a group of " + std::to_string(*size)) + leader +
         " has " + std::to_string(hosts) + " members, but " + hosts_of(facts.slice);
}

std::string wrong_worker_count(const facts::Facts& facts) {
  const workloads::IndexLabel& count = facts.member->worker_count;
  if (!count.present()) return {};
  const auto value = base::plain_decimal(count.text);
  if (value && *value == facts.slice.hosts) return {};
  return std::string(count.key) + " is " + base::printable(count.text) + ", but " +
         hosts_of(facts.slice);
}

std::string wrong_worker_id(const facts::Facts& facts) {
  const workloads::IndexLabel& id = facts.member->worker_id;
  if (!id.present() || !facts.slice.multi_host()) return {};
  const auto value = base::plain_decimal(id.text);
  if (value && *value == facts.host) return {};
  return std::string(id.key) + " is " + base::printable(id.text) + ", but the Pod is host " +
         std::to_string(facts.host) + " by " + std::string(facts.member->host.key);
}

// KubeRay makes numOfHosts Pods a replica: with another number no replica is one whole slice.
std::string wrong_ray_group(const facts::Facts& facts, const read::ClusterView& cluster) {
  if (!facts.ray()) return {};
  const workloads::Member& member = *facts.member;
  const auto group = cluster.ray_group(facts.ns, member.group, member.part);
  if (!group || group->hosts == facts.slice.hosts) return {};
  return "worker group " + base::printable(member.part) + " of RayCluster " +
         base::printable(member.group) + " has numOfHosts " + std::to_string(group->hosts) +
         ", but " + hosts_of(facts.slice);
}

}  // namespace tpuwh::webhook::identity
