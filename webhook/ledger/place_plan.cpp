#include "webhook/ledger/place_plan.hpp"

#include "webhook/ledger/token.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <set>
#include <unordered_set>

namespace tpuwh::webhook::ledger {

using topology::Place;

namespace {

struct PlaceHash {
  std::size_t operator()(const Place& place) const {
    return std::hash<std::uint64_t>()(std::uint64_t{place.slice} << 32 | place.host);
  }
};

}  // namespace

// Pods that carry a token of ours without an entry: stored after it was given up, or the
// record is another. Their places are taken. Not where the place has another entry: then
// the Pod is gone, and this replica's watch lags. (Entered again, its copy once kept its place:
// tests/unit/webhook/ledger/interleavings_test.cpp found that.) Nor where it is beyond the slices:
// a label once put host 4,294,967,295 into the record, and it was given from there.
void PlacePlan::adopt_strays() {
  std::unordered_set<Place, PlaceHash> held;
  held.reserve(record_.entries.size() + pods_.size());
  for (const LedgerEntry& entry : record_.entries) held.insert(entry.place);
  for (const auto& [uid, pod] : pods_) {
    if (is_crowded()) return;
    const auto place = place_of_token(pod.token);
    if (!place || !record_.can_hold(*place)) continue;
    if (held.insert(*place).second) record_.entries.push_back({*place, pod.token});
  }
}

void PlacePlan::count_places() {
  adopt_strays();
  std::set<std::string_view> leaving_tokens;
  for (const auto& [uid, pod] : pods_) {
    if (pod.leaving && !pod.token.empty()) leaving_tokens.insert(pod.token);
    if (pod.token.empty() && pod.place) (pod.leaving ? leaving_ : taken_).push_back(*pod.place);
  }
  for (const LedgerEntry& entry : record_.entries)
    (leaving_tokens.contains(entry.token) ? leaving_ : taken_).push_back(entry.place);
}

const LedgerEntry* PlacePlan::given_to(std::string_view review_uid,
                                       const topology::GroupSize& size) const {
  const std::string mark = token_mark(review_uid);
  for (const LedgerEntry& entry : record_.entries)
    if (entry.token.ends_with(mark) && size.holds(entry.place)) return &entry;
  return nullptr;
}

LedgerEntry* PlacePlan::only_holder(std::string_view token, const topology::GroupSize& size) {
  const auto found = std::ranges::find(record_.entries, token, &LedgerEntry::token);
  if (found == record_.entries.end() || !size.holds(found->place)) return nullptr;
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
