#include "kubectl/inspect/ledger/release.hpp"

#include "base/names.hpp"
#include "base/result.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tpuwh::server::ledger {

namespace {

bool has_entry(const ReleasePlan& plan, const webhook::ledger::LedgerEntry& entry) {
  return std::ranges::find(plan.free, entry) != plan.free.end();
}

bool is_taken(const kube::cluster::LedgerObject& object, topology::Place place) {
  return std::ranges::find(object.record.entries, place, &webhook::ledger::LedgerEntry::place) !=
         object.record.entries.end();
}

Error wrong(std::string_view text, std::string_view wanted) {
  return bad_value(fmt::format("expected {}, got \"{}\"", wanted, base::printable(text, 300)));
}

}  // namespace

Result<GroupPath> parse_group_path(std::string_view text) {
  constexpr auto wanted = "NAMESPACE/CLUSTER/GROUP as `ledger list` prints them";
  const auto first = text.find('/'), second = text.find('/', first + 1);
  if (first == text.npos || second == text.npos || text.find('/', second + 1) != text.npos)
    return wrong(text, wanted);
  GroupPath path{.ns = std::string(text.substr(0, first)),
                 .cluster = std::string(text.substr(first + 1, second - first - 1)),
                 .group = std::string(text.substr(second + 1))};
  if (path.ns.empty() || path.cluster.empty() || path.group.empty()) return wrong(text, wanted);
  return path;
}

Result<topology::Place> parse_place(std::string_view text) {
  const auto dash = text.find('-');
  const bool two = dash != text.npos;
  const auto slice = base::plain_decimal(text.substr(0, dash));
  const auto host = two ? base::plain_decimal(text.substr(dash + 1)) : std::nullopt;
  if (!slice || !host) return wrong(text, "SLICE-HOST, such as 0-3");
  return topology::Place{.slice = *slice, .host = *host};
}

ReleasePlan plan_release(const kube::cluster::LedgerObject& object, const ReleaseChoice& choice,
                         const LivingTokens& living) {
  ReleasePlan plan;
  const auto named = [&](topology::Place place) {
    return std::ranges::find(choice.places, place) != choice.places.end();
  };
  for (const webhook::ledger::LedgerEntry& entry : object.record.entries) {
    if (!choice.places.empty() && !named(entry.place)) continue;
    const bool living_pod = lives(object, entry, living);
    if (!living_pod || (choice.force && named(entry.place)))
      plan.free.push_back(entry);
    else if (named(entry.place))
      plan.kept.push_back(
          fmt::format("{} was kept: a Pod with token {} lives; delete the Pod, or pass --force",
                      place_text(entry.place), entry.token));
  }
  for (const topology::Place place : choice.places)
    if (!is_taken(object, place))
      plan.kept.push_back(fmt::format("{} has no entry: it is free", place_text(place)));
  std::ranges::sort(plan.free, {}, &webhook::ledger::LedgerEntry::place);
  return plan;
}

// By entry, so by token: a place that was freed and given again in between is another entry.
ReleasePlan confirmed(const ReleasePlan& before, const ReleasePlan& now) {
  ReleasePlan plan{.free = {}, .kept = now.kept};
  for (const webhook::ledger::LedgerEntry& entry : now.free)
    if (has_entry(before, entry)) plan.free.push_back(entry);
  return plan;
}

webhook::ledger::LedgerRecord without(const webhook::ledger::LedgerRecord& record,
                                      const ReleasePlan& plan) {
  webhook::ledger::LedgerRecord left = record;
  std::erase_if(left.entries,
                [&](const webhook::ledger::LedgerEntry& entry) { return has_entry(plan, entry); });
  return left;
}

}  // namespace tpuwh::server::ledger
