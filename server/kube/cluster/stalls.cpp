#include "server/kube/cluster/stalls.hpp"

#include <algorithm>

namespace tpuwh::server::kube::cluster {

using webhook::ledger::PlaceAnswer;

void Stalls::asked(const store::GroupName& group, net::TimePoint now) {
  forget_old(now);
  if (waits_.size() >= bounds_.most && !waits_.contains(group)) return;
  waits_.try_emplace(group, Wait{now, now}).first->second.last = now;
}

// A group that is full, or of another size, has had its answer.
void Stalls::answered(const store::GroupName& group, const PlaceAnswer& answer) {
  const bool out_of_record = answer.kind != PlaceAnswer::Kind::try_again || answer.by_record;
  if (out_of_record) waits_.erase(group);
}

void Stalls::forget_old(net::TimePoint now) {
  std::erase_if(waits_, [&](const auto& wait) { return now - wait.second.last > bounds_.memory; });
}

net::Clock::duration Stalls::longest(net::TimePoint now) {
  forget_old(now);
  net::Clock::duration longest{};
  for (const auto& [group, wait] : waits_) longest = std::max(longest, now - wait.since);
  return longest;
}

}  // namespace tpuwh::server::kube::cluster
