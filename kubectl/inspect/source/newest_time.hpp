// When a snapshot was taken, as far as it says: the latest moment that its objects tell of.
#pragma once

#include "server/text/json.hpp"

#include <chrono>
#include <optional>
#include <string>

namespace tpuwh::server::source {

// Looked at are the fields that controllers, the kubelet and the API server write when something
// happens: creation, conditions, heartbeats, container states, managed fields, taints, events and
// leases; of a deletion when it was asked for, its deletionTimestamp less the grace period.
// Annotations and specs name any day, also ones to come.
class NewestTime {
 public:
  void look_at(const Json& object);
  // Nothing where no object says a time.
  std::optional<std::chrono::system_clock::time_point> get() const { return newest_; }

 private:
  void take(const Json& value);
  bool take(std::chrono::system_clock::time_point moment);  // whether it is newer
  void look_through(const Json& value);
  void look_at_deletion(const Json& metadata);

  std::optional<std::chrono::system_clock::time_point> newest_;
  std::string last_;  // as it was written
};

}  // namespace tpuwh::server::source
