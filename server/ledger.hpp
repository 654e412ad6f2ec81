// The ledger of one server process: in memory, shared by its event loops, or none.
#pragma once

#include "server/config.hpp"
#include "webhook/ledger.hpp"

#include <memory>
#include <mutex>

namespace tpuwh::server {

// A memory ledger that any thread may ask.
class SharedLedger final : public webhook::Ledger {
 public:
  webhook::PlaceAnswer place(const webhook::PlaceRequest& request) override {
    const std::lock_guard lock(mutex_);
    return ledger_.place(request);
  }
  void note(const webhook::PlaceRequest& request, topology::Place place) override {
    const std::lock_guard lock(mutex_);
    ledger_.note(request, place);
  }

 private:
  std::mutex mutex_;
  webhook::MemoryLedger ledger_;
};

//   in_cluster  this process is a Pod, perhaps one of several replicas: an id that one of
//               them remembers another gives again, so `automatic` means none
std::unique_ptr<webhook::Ledger> make_ledger(LedgerKind kind, bool in_cluster);

}  // namespace tpuwh::server
