#include "webhook/identity/member_index.hpp"

#include "base/counted.hpp"
#include "base/names.hpp"
#include "webhook/findings/errc.hpp"
#include "webhook/identity/contradictions.hpp"

#include <algorithm>
#include <string>

namespace tpuwh::webhook::identity {

namespace {

// An index as its owner wrote it, below `bound`; `because` makes the sentence that
// says where the bound comes from.
template <class Because>
Result<std::uint32_t> index_below(const workloads::IndexLabel& index, std::uint32_t bound,
                                  Because&& because) {
  const auto value = base::plain_decimal(index.text);
  if (value && *value < bound) return *value;
  return Error(findings::Errc::index_out_of_range,
               std::string(index.key) + " is \"" + base::printable(index.text) +
                   "\", expected a whole number from 0 to " + std::to_string(bound - 1) + ": " +
                   because());
}

// How many slices the user says form one job.
std::uint32_t literal_slice_count(const facts::Facts& facts) {
  for (const read::Container* process : facts.shape->processes) {
    const read::EnvEntry* entry = facts.pod->entry(*process, read::Variable::megascale_num_slices);
    if (entry != nullptr && entry->source == read::EnvSource::literal && !entry->value.empty())
      return base::plain_decimal(entry->value).value_or(0);
  }
  return 0;
}

std::string slices_of(const facts::Facts& facts) {
  return "the job has " + base::counted(facts.slice_count, "slice");
}

Result<void> settle_count(facts::Facts& facts) {
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

}  // namespace

Result<void> settle_slices(facts::Facts& facts) {
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

Result<void> settle_number(facts::Facts& facts, workloads::Member& member) {
  constexpr std::uint32_t largest = 0x7fffffffu;  // ordinals are int32
  const auto size = base::plain_decimal(member.group_size.text);
  const auto number = index_below(member.host, size.value_or(largest), [&] {
    return size ? "the group has " + std::to_string(*size) + " members" : std::string("an ordinal");
  });
  if (!number) return number.error();
  const std::uint32_t first = member.names.first;
  if (*number < first)
    return Error(findings::Errc::index_out_of_range, std::string(member.host.key) + " is " +
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
    return Error(findings::Errc::index_out_of_range,
                 std::string(member.host.key) + " is " + std::to_string(*number) +
                     ", which is a host of slice " + std::to_string(facts.job_slice) + ": " +
                     slices_of(facts));
  return {};
}

Result<void> settle_host(facts::Facts& facts) {
  // Of a Job of single hosts the completion index counts runs: not a reason to deny.
  if (!facts.slice.multi_host()) return {};
  const auto host =
      index_below(facts.member->host, facts.slice.hosts, [&] { return hosts_of(facts.slice); });
  if (!host) return host.error();
  facts.host = *host;
  return {};
}

}  // namespace tpuwh::webhook::identity
