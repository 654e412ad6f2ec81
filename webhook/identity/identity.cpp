#include "webhook/identity/identity.hpp"

#include "base/names.hpp"
#include "base/result.hpp"
#include "webhook/identity/contradictions.hpp"
#include "webhook/identity/joins.hpp"
#include "webhook/identity/member_index.hpp"
#include "webhook/identity/member_names.hpp"

#include <algorithm>
#include <charconv>

namespace tpuwh::webhook::identity {

namespace {

using findings::Finding;

// Nobody says who it is.
Identity nobody(std::string why) {
  return {.verdict = Identity::Verdict::leave_alone,
          .reason = outcome::Reason::no_identity,
          .why = bad_value(std::move(why)),
          .finding = Finding::identity_missing};
}

// Two say it, and differ.
Identity contradictory(std::string why) {
  return {.verdict = Identity::Verdict::leave_alone,
          .reason = outcome::Reason::inconsistent,
          .why = bad_value(std::move(why)),
          .finding = Finding::size_contradicts};
}

Identity deny_index(Error why) {
  return {.verdict = Identity::Verdict::deny,
          .reason = outcome::Reason::bad_index,
          .why = std::move(why)};
}

// The slice's index becomes a part of its key.
void key_by_slice(facts::Facts& facts, workloads::Member& member) {
  if (!member.slice_in_key) return;
  char* const begin = facts.slice_digits.data();
  const char* const end =
      std::to_chars(begin, begin + facts.slice_digits.size(), facts.slice_index).ptr;
  member.key_parts.back() = {begin, static_cast<std::size_t>(end - begin)};
}

// What the RayCluster asks for; a number beyond all TPUs there are stays a number.
std::uint32_t most_members(const read::RayGroup& group, std::uint32_t hosts) {
  return static_cast<std::uint32_t>(
      std::min<std::uint64_t>(std::uint64_t{group.slices} * hosts, unbounded));
}

Identity ask_for_place(facts::Facts& facts, const read::ClusterView& cluster) {
  if (auto named = check_group(facts); !named)
    return {.verdict = Identity::Verdict::deny,
            .reason = outcome::Reason::bad_name,
            .why = named.error()};
  const workloads::Member& member = *facts.member;
  const auto group = cluster.ray_group(facts.ns, member.group, member.part);
  if (group && group->slices == 0)
    return {.verdict = Identity::Verdict::try_again,
            .reason = outcome::Reason::no_place,
            .why = Error(base::Errc::internal,
                         "worker group " + base::printable(member.part) + " of RayCluster " +
                             base::printable(member.group) + " currently asks for 0 replicas"),
            .retry_now = false};
  facts.place_size = {.hosts_per_slice = facts.slice.hosts, .slices = facts.slice_count};
  if (group) facts.place_size.members = most_members(*group, facts.slice.hosts);
  return {Identity::Verdict::ask_ledger, outcome::Reason::no_identity, {}};
}

Identity take_place(facts::Facts& facts, const ledger::PlaceAnswer& answer) {
  if (answer.kind == ledger::PlaceAnswer::Kind::try_again)
    return {.verdict = Identity::Verdict::try_again,
            .reason = outcome::Reason::no_place,
            .why = Error(base::Errc::internal, answer.why),
            .retry_now = answer.retry_now};
  if (answer.kind == ledger::PlaceAnswer::Kind::refused) return nobody(answer.why);
  // No ledger gives one; a token's label, which `audit` reads, says what anybody wrote.
  if (answer.place.host >= facts.slice.hosts)
    return nobody("its place is host " + std::to_string(answer.place.host) + " of a slice, and " +
                  hosts_of(facts.slice));
  facts.slice_index = facts.job_slice = answer.place.slice;
  facts.host = answer.place.host;
  facts.sliced = true;
  facts.token = answer.token;
  return {};
}

Identity settle_place(facts::Facts& facts, const read::ClusterView& cluster,
                      const ledger::PlaceAnswer* answer) {
  return answer == nullptr ? ask_for_place(facts, cluster) : take_place(facts, *answer);
}

Identity settle_index(facts::Facts& facts, workloads::Member& member) {
  if (member.names.numbered && member.host.present()) {
    if (auto misfit = group_misfit(facts); !misfit.empty()) return contradictory(std::move(misfit));
    if (auto settled = settle_number(facts, member); !settled) return deny_index(settled.error());
    return {};
  }
  if (facts.slice.multi_host() && !member.host.present())
    return nobody((member.host.key.empty() ? std::string("annotation worker-id")
                                           : "label " + std::string(member.host.key)) +
                  " is missing or empty, and " + hosts_of(facts.slice));
  if (auto settled = settle_host(facts); !settled) return deny_index(settled.error());
  return {};
}

}  // namespace

Identity settle_identity(facts::Facts& facts, workloads::Member& member,
                         const read::ClusterView& cluster, const ledger::PlaceAnswer* answer) {
  const bool sliced =
      facts.slice.multi_host() || facts.ray() || member.slices_asked || joins_slices(facts);
  if (sliced && !member.incomplete.empty()) return nobody(std::string(member.incomplete));
  if (auto settled = settle_slices(facts); !settled) {
    if (sliced) return deny_index(settled.error());
    facts.slice_count = 0;  // a slice of its own, whatever its labels say
  }
  if (auto wrong = wrong_worker_count(facts); !wrong.empty())
    return contradictory(std::move(wrong));
  if (auto wrong = wrong_ray_group(facts, cluster); !wrong.empty())
    return contradictory(std::move(wrong));
  Identity identity =
      member.needs_place ? settle_place(facts, cluster, answer) : settle_index(facts, member);
  if (identity.verdict != Identity::Verdict::settled) return identity;
  if (auto wrong = wrong_worker_id(facts); !wrong.empty()) return contradictory(std::move(wrong));
  key_by_slice(facts, member);
  facts.placed = true;
  return identity;
}

}  // namespace tpuwh::webhook::identity
