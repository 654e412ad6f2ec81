#include "webhook/ledger/ledger.hpp"

#include "base/counted.hpp"
#include "base/names.hpp"
#include "webhook/ledger/token.hpp"

#include <algorithm>

namespace tpuwh::webhook::ledger {

namespace {

using topology::Place;

// NUL stands in no name.
void write_key(const PlaceRequest& request, std::string& key) {
  key.clear();
  for (const std::string_view part :
       {request.ns, request.cluster, request.cluster_uid, request.group})
    key.append(part).push_back('\0');
}

std::uint64_t places_of(const topology::GroupSize& size) {
  const std::uint64_t in_slices = std::uint64_t{size.slices} * size.hosts_per_slice;
  if (size.members == 0 || size.slices == 0)
    return std::max<std::uint64_t>(in_slices, size.members);
  return std::min<std::uint64_t>(in_slices, size.members);
}

}  // namespace

PlaceAnswer given_place(Place place, std::string token) {
  return {.kind = PlaceAnswer::Kind::given, .place = place, .token = std::move(token)};
}

PlaceAnswer try_again(std::string why, bool retry_now) {
  return {.kind = PlaceAnswer::Kind::try_again, .why = std::move(why), .retry_now = retry_now};
}

PlaceAnswer no_place(std::string why) {
  PlaceAnswer answer = try_again(std::move(why), /*retry_now=*/false);
  answer.by_record = true;
  return answer;
}

std::string name_of_group(const PlaceRequest& request) {
  return "worker group " + base::printable(request.group) + " of RayCluster " +
         base::printable(request.cluster);
}

PlaceAnswer no_place_left(const topology::GroupSize& size, std::string_view group) {
  return no_place("all " + std::to_string(places_of(size)) + " places of " + std::string(group) +
                  " are taken, in slices of " + base::counted(size.hosts_per_slice, "host"));
}

bool MemoryLedger::Group::has(Place place) const {
  return std::ranges::find(entries, place, &Entry::place) != entries.end();
}

// Of a group without an entry nothing is kept: whoever asks may ask about any.
const MemoryLedger::Group* MemoryLedger::find(const PlaceRequest& request) {
  write_key(request, key_);
  const auto found = groups_.find(key_);
  return found == groups_.end() ? nullptr : &found->second;
}

// After find(), which has written its key.
void MemoryLedger::add(const PlaceRequest& request, Entry entry) {
  Group& group = groups_[key_];
  if (group.hosts_per_slice == 0) group.hosts_per_slice = request.size.hosts_per_slice;
  group.entries.push_back(std::move(entry));
  ++members_;
}

PlaceAnswer MemoryLedger::place(const PlaceRequest& request) {
  static const Group nobody;
  const Group* const known_group = find(request);
  const Group& group = known_group == nullptr ? nobody : *known_group;
  if (group.hosts_per_slice != 0 && group.hosts_per_slice != request.size.hosts_per_slice)
    return {.why = name_of_group(request) + " has slices of " +
                   std::to_string(group.hosts_per_slice) +
                   " hosts, but this Pod is of a slice of " +
                   std::to_string(request.size.hosts_per_slice)};
  if (const auto known = std::ranges::find(group.entries, request.token, &Entry::token);
      !request.token.empty() && known != group.entries.end() && request.size.holds(known->place))
    return given_place(known->place, known->token);

  // A Pod that was given its place before this ledger began keeps it if nobody else has it.
  const auto before = place_of_token(request.token);
  const bool keeps = before && request.size.holds(*before) && !group.has(*before);
  std::vector<Place> taken;
  for (const Entry& entry : group.entries) taken.push_back(entry.place);
  const auto place = keeps ? before : topology::next_member(request.size, taken);
  if (!place) return no_place_left(request.size, name_of_group(request));
  if (members_ >= max_members)
    return try_again(
        "more than " + std::to_string(max_members) + " members; the in-memory ledger is full",
        /*retry_now=*/false);
  std::string token = keeps ? std::string(request.token) : make_token(*place, request.review_uid);
  if (!request.dry_run) add(request, {*place, token});
  return given_place(*place, std::move(token));
}

void MemoryLedger::note(const PlaceRequest& request, Place place) {
  if (request.dry_run || members_ >= max_members || !is_possible(place)) return;
  const Group* const group = find(request);
  if (key_.size() > max_key_bytes || (group != nullptr && group->has(place))) return;
  add(request, {place, std::string(request.token)});
}

}  // namespace tpuwh::webhook::ledger
