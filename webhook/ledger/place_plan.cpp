#include "webhook/ledger/place_plan.hpp"

#include "webhook/ledger/token.hpp"

#include <algorithm>
#include <unordered_set>

namespace tpuwh::webhook::ledger {

using topology::Place;

bool PlacePlan::has_holder(Place place) const {
  return std::ranges::find(record_.entries, place, &LedgerEntry::place) != record_.entries.end();
}

// Pods that carry a token of ours without an entry: stored after it was given up, or the
// record is another. Their places are taken. Not where the place has another entry: then
// the Pod is gone, and this replica's watch lags. (Entered again, its copy once kept its place:
// tests/unit/webhook/ledger/interleavings_test.cpp found that.)
void PlacePlan::adopt_strays() {
  for (const auto& [uid, pod] : pods_) {
    const auto place = place_of_token(pod.token);
    if (place && !has_holder(*place) && !is_crowded())
      record_.entries.push_back({*place, pod.token});
  }
}

void PlacePlan::count_places() {
  adopt_strays();
  std::unordered_set<std::string_view> leaving_tokens;
  for (const auto& [uid, pod] : pods_) {
    if (pod.leaving && !pod.token.empty()) leaving_tokens.insert(pod.token);
    if (pod.token.empty() && pod.place) (pod.leaving ? leaving_ : taken_).push_back(*pod.place);
  }
  for (const LedgerEntry& entry : record_.entries)
    (leaving_tokens.contains(entry.token) ? leaving_ : taken_).push_back(entry.place);
}

const LedgerEntry* PlacePlan::given_to(std::string_view review_uid) const {
  const std::string mark = token_mark(review_uid);
  for (const LedgerEntry& entry : record_.entries)
    if (entry.token.ends_with(mark)) return &entry;
  return nullptr;
}

LedgerEntry* PlacePlan::only_holder(std::string_view token) {
  const auto found = std::ranges::find(record_.entries, token, &LedgerEntry::token);
  if (found == record_.entries.end()) return nullptr;
  return std::ranges::count(record_.entries, found->place, &LedgerEntry::place) == 1 ? &*found
                                                                                     : nullptr;
}

std::optional<Place> PlacePlan::next(const topology::GroupSize& size) const {
  return topology::next_member(size, taken_, leaving_);
}

void PlacePlan::give(Place place, std::string token) {
  taken_.push_back(place);
  record_.entries.push_back({place, std::move(token)});
}

}  // namespace tpuwh::webhook::ledger
