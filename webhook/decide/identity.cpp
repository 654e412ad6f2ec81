#include "webhook/decide/identity.hpp"

#include "topology/counted.hpp"
#include "webhook/decide/env_wanted.hpp"
#include "webhook/text/names.hpp"

#include <algorithm>
#include <charconv>

namespace tpuwh::webhook::decide {

namespace {

Identity leave_alone(Reason reason, std::string why) {
  return {Identity::Verdict::leave_alone, reason, Error(Errc::bad_value, std::move(why))};
}

Identity deny_index(Error why) {
  return {Identity::Verdict::deny, Reason::bad_index, std::move(why)};
}

// An index as its owner wrote it, below `bound`; `because` makes the sentence that
// says where the bound comes from.
template <class Because>
Result<std::uint32_t> index_below(const workloads::IndexLabel& index, std::uint32_t bound,
                                  Because&& because) {
  const auto value = text::plain_decimal(index.text);
  if (value && *value < bound) return *value;
  return Error(Errc::index_out_of_range, std::string(index.key) + " is \"" +
                                             text::printable(index.text) +
                                             "\", expected a plain decimal from 0 to " +
                                             std::to_string(bound - 1) + ": " + because());
}

// ---- slices

constexpr std::uint32_t unbounded = 0xffffffffu;

// How many slices the user says form one job.
std::uint32_t literal_slice_count(const Facts& facts) {
  const read::EnvEntry* entry =
      facts.pod->entry(*facts.shape->processes.front(), read::Variable::megascale_num_slices);
  if (entry == nullptr || entry->source != read::EnvSource::literal) return 0;
  return text::plain_decimal(entry->value).value_or(0);
}

std::string slices_of(const Facts& facts) {
  return "the job has " + topology::counted(facts.slice_count, "slice");
}

Result<void> settle_count(Facts& facts) {
  const workloads::Member& member = *facts.member;
  if (member.slice_count.present()) {
    const auto count = index_below(member.slice_count, unbounded,
                                   [] { return std::string("a number of slices"); });
    if (!count) return count.error();
    facts.slice_count = *count;
  } else if (facts.ray() || member.names.numbered) {
    facts.slice_count = literal_slice_count(facts);
  }
  return {};
}

Result<void> settle_slices(Facts& facts) {
  const workloads::Member& member = *facts.member;
  if (auto settled = settle_count(facts); !settled) return settled;
  if (!member.slice.key.empty() && !member.needs_place) {
    const bool own_count = facts.slice_count > 0 && !member.group_slice.present();
    const auto index = index_below(member.slice, own_count ? facts.slice_count : unbounded, [&] {
      return own_count ? slices_of(facts) : "an index of a slice";
    });
    if (!index) return index.error();
    facts.slice_index = facts.job_slice = *index;
    facts.sliced = true;
  }
  if (!member.group_slice.present()) return {};
  const auto in_group = index_below(member.group_slice, std::max(facts.slice_count, 1u),
                                    [&] { return slices_of(facts); });
  if (!in_group) return in_group.error();
  facts.job_slice = *in_group;
  facts.sliced = true;
  return {};
}

// The slice's index becomes a part of its key.
void key_by_slice(Facts& facts, workloads::Member& member) {
  if (!member.slice_in_key) return;
  char* const begin = facts.slice_digits.data();
  const char* const end =
      std::to_chars(begin, begin + facts.slice_digits.size(), facts.slice_index).ptr;
  member.key_parts.back() = {begin, static_cast<std::size_t>(end - begin)};
}

// ---- numbers that count hosts through all slices

// Slice and host of a number that counts through all slices of the group.
Result<void> settle_number(Facts& facts, workloads::Member& member) {
  constexpr std::uint32_t largest = 0x7fffffffu;  // ordinals are int32
  const auto size = text::plain_decimal(member.group_size.text);
  const auto number = index_below(member.host, size.value_or(largest), [&] {
    return size ? "the group has " + std::to_string(*size) + " members" : std::string("an ordinal");
  });
  if (!number) return number.error();
  const std::uint32_t first = member.names.first;
  if (*number < first)
    return Error(Errc::index_out_of_range, std::string(member.host.key) + " is " +
                                               std::to_string(*number) + ", expected " +
                                               std::to_string(first) + " or more");
  member.names.stride = facts.slice.hosts;
  facts.host = (*number - first) % facts.slice.hosts;
  facts.slice_index = (*number - first) / facts.slice.hosts;
  if (!member.group_slice.present()) {
    facts.job_slice = facts.slice_index;
    facts.sliced = member.slice_in_key;
  }
  if (facts.slice_count > 0 && facts.sliced && facts.job_slice >= facts.slice_count)
    return Error(Errc::index_out_of_range,
                 std::string(member.host.key) + " is " + std::to_string(*number) +
                     ", which is a host of slice " + std::to_string(facts.job_slice) + ": " +
                     slices_of(facts));
  return {};
}

// ---- the host

Result<void> settle_host(Facts& facts) {
  if (!facts.slice.multi_host()) return {};  // its completion index means nothing
  const auto host =
      index_below(facts.member->host, facts.slice.hosts, [&] { return hosts_of(facts.slice); });
  if (!host) return host.error();
  facts.host = *host;
  return {};
}

// ---- what else says how large the slice is, and who the Pod is

std::string wrong_worker_count(const Facts& facts) {
  const workloads::IndexLabel& count = facts.member->worker_count;
  if (!count.present()) return {};
  const auto value = text::plain_decimal(count.text);
  if (value && *value == facts.slice.hosts) return {};
  return std::string(count.key) + " is " + text::printable(count.text) + ", but " +
         hosts_of(facts.slice) + "; nothing was injected";
}

std::string wrong_worker_id(const Facts& facts) {
  const workloads::IndexLabel& id = facts.member->worker_id;
  if (!id.present() || !facts.slice.multi_host()) return {};
  const auto value = text::plain_decimal(id.text);
  if (value && *value == facts.host) return {};
  return std::string(id.key) + " is " + text::printable(id.text) + ", but the Pod is host " +
         std::to_string(facts.host) + " by " + std::string(facts.member->host.key) +
         "; nothing was injected";
}

std::string wrong_ray_group(const Facts& facts, const read::ClusterView& cluster) {
  if (!facts.ray()) return {};
  const workloads::Member& member = *facts.member;
  const auto group = cluster.ray_group(facts.ns, member.group, member.part);
  if (!group || group->hosts == facts.slice.hosts) return {};
  return "worker group " + std::string(member.part) + " of RayCluster " +
         std::string(member.group) + " has numOfHosts " + std::to_string(group->hosts) + ", but " +
         hosts_of(facts.slice) + "; nothing was injected";
}

// ---- the ledger

// What the RayCluster asks for; a number beyond all TPUs there are stays a number.
std::uint32_t most_members(const read::RayGroup& group, std::uint32_t hosts) {
  return static_cast<std::uint32_t>(
      std::min<std::uint64_t>(std::uint64_t{group.slices} * hosts, unbounded));
}

Identity settle_place(Facts& facts, workloads::Member& member, const read::ClusterView& cluster,
                      const ledger::PlaceAnswer* answer) {
  if (answer == nullptr) {
    const auto group = cluster.ray_group(facts.ns, member.group, member.part);
    if (group && group->slices == 0)
      return {.verdict = Identity::Verdict::try_again,
              .reason = Reason::no_place,
              .why = Error(Errc::internal, "worker group " + std::string(member.part) +
                                               " of RayCluster " + std::string(member.group) +
                                               " wants no replicas"),
              .retry_now = false};
    facts.place_size = {.hosts_per_slice = facts.slice.hosts, .slices = facts.slice_count};
    if (group) facts.place_size.members = most_members(*group, facts.slice.hosts);
    return {Identity::Verdict::ask_ledger, Reason::no_identity, {}};
  }
  if (answer->kind == ledger::PlaceAnswer::Kind::try_again)
    return {.verdict = Identity::Verdict::try_again,
            .reason = Reason::no_place,
            .why = Error(Errc::internal, answer->why),
            .retry_now = answer->retry_now};
  if (answer->kind == ledger::PlaceAnswer::Kind::refused)
    return leave_alone(Reason::no_identity, answer->why + "; nothing was injected");
  facts.slice_index = facts.job_slice = answer->place.slice;
  facts.host = answer->place.host;
  facts.sliced = true;
  facts.token = answer->token;
  return {};
}

Identity settle_index(Facts& facts, workloads::Member& member) {
  if (member.names.numbered && member.host.present()) {
    if (auto misfit = group_misfit(facts); !misfit.empty())
      return leave_alone(Reason::inconsistent, std::move(misfit));
    if (auto settled = settle_number(facts, member); !settled) return deny_index(settled.error());
    return {};
  }
  if (facts.slice.multi_host() && !member.host.present())
    return leave_alone(Reason::no_identity,
                       (member.host.key.empty() ? std::string("annotation worker-id")
                                                : "label " + std::string(member.host.key)) +
                           " is missing or empty, and " + hosts_of(facts.slice) +
                           "; nothing was injected");
  if (auto settled = settle_host(facts); !settled) return deny_index(settled.error());
  return {};
}

}  // namespace

std::string hosts_of(const topology::Slice& slice) {
  const std::string hosts = topology::counted(slice.hosts, "host");
  if (slice.dims.rank() == 0) return "the slice has " + hosts;
  return slice.dims.text() + " with " + std::to_string(slice.chips_per_host) +
         " chips per Pod has " + hosts;
}

std::string group_misfit(const Facts& facts) {
  const workloads::Member& member = *facts.member;
  if (!facts.slice.multi_host() || member.group_size.key.empty()) return {};
  const auto size = text::plain_decimal(member.group_size.text);
  const std::string_view slice_text =
      member.subgroup_size.present() ? member.subgroup_size.text : member.group_size.text;
  const auto slice_size = text::plain_decimal(slice_text);
  if (!size || !slice_size || *size == 0 || *slice_size == 0)
    return std::string(member.kind) + ' ' + std::string(member.group) + ": group size " +
           text::printable(member.group_size.text) + " and subgroup size " +
           text::printable(slice_text) +
           " are not both plain decimals above 0; nothing was injected";
  const std::uint32_t members = *size - member.names.first;
  const bool subgroups = member.subgroup_size.present();
  const std::uint32_t hosts = subgroups ? *slice_size : members;
  const std::string leader =
      member.names.first > 0 ? " without its leader, which is not in a slice," : "";
  if (subgroups && members % hosts != 0)
    return "a group of " + std::to_string(*size) + leader + " cannot be split into subgroups of " +
           std::to_string(hosts) + "; nothing was injected";
  if (hosts == facts.slice.hosts) return {};
  return std::string(subgroups ? "a subgroup" : "a group of " + std::to_string(*size)) + leader +
         " has " + std::to_string(hosts) + " members, but " + hosts_of(facts.slice) +
         "; nothing was injected";
}

bool joins_others(const Facts& facts) {
  return std::ranges::any_of(facts.shape->processes,
                             [&](const read::Container* c) { return joins_slices(facts, *c); });
}

Identity settle_identity(Facts& facts, workloads::Member& member, const read::ClusterView& cluster,
                         const ledger::PlaceAnswer* answer) {
  const bool sliced =
      facts.slice.multi_host() || facts.ray() || member.slices_asked || joins_others(facts);
  if (sliced && !member.incomplete.empty())
    return leave_alone(Reason::no_identity,
                       std::string(member.incomplete) + "; nothing was injected");
  if (auto settled = settle_slices(facts); !settled) {
    if (sliced) return deny_index(settled.error());
    facts.slice_count = 0;  // a slice of its own, whatever its labels say
  }
  for (std::string wrong : {wrong_worker_count(facts), wrong_ray_group(facts, cluster)})
    if (!wrong.empty()) return leave_alone(Reason::inconsistent, std::move(wrong));
  Identity identity = member.needs_place ? settle_place(facts, member, cluster, answer)
                                         : settle_index(facts, member);
  if (identity.verdict != Identity::Verdict::settled) return identity;
  if (auto wrong = wrong_worker_id(facts); !wrong.empty())
    return leave_alone(Reason::inconsistent, std::move(wrong));
  key_by_slice(facts, member);
  facts.placed = true;
  return identity;
}

}  // namespace tpuwh::webhook::decide
