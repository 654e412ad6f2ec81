// How long groups have waited for a place that they asked for.
#pragma once

#include "server/kube/store/objects.hpp"
#include "server/net/asio.hpp"
#include "webhook/ledger/ledger.hpp"

#include <cstddef>
#include <map>

namespace tpuwh::server::kube::cluster {

// A place that was asked for is waited for until the ledger of its group answers out of its
// record, with a place or that there is none; or until nobody has asked again for
// the memory's length. A 503 ends the request and not the wait.
class Stalls {
 public:
  struct Bounds {
    net::Clock::duration memory;
    std::size_t most;  // groups; more are not told apart from those
  };
  explicit Stalls(Bounds bounds) : bounds_(bounds) {}

  void asked(const store::GroupName& group, net::TimePoint now);
  void answered(const store::GroupName& group, const webhook::ledger::PlaceAnswer& answer);

  // Of the group that has waited longest; zero if none does.
  net::Clock::duration longest(net::TimePoint now);

 private:
  struct Wait {
    net::TimePoint since, last;
  };
  void forget_old(net::TimePoint now);

  const Bounds bounds_;
  std::map<store::GroupName, Wait> waits_;
};

}  // namespace tpuwh::server::kube::cluster
