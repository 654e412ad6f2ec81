// The ledger as sessions see it: they ask for a Ray worker's place, and wait for the answer.
#pragma once

#include "server/net/asio.hpp"
#include "webhook/ledger/ledger.hpp"

#include <memory>
#include <mutex>
#include <string>
#include <utility>

namespace tpuwh::server::kube::places {

// A question that outlives the review it came with.
struct OwnedPlaceRequest {
  explicit OwnedPlaceRequest(const webhook::ledger::PlaceRequest& request)
      : ns(request.ns),
        cluster(request.cluster),
        cluster_uid(request.cluster_uid),
        group(request.group),
        review_uid(request.review_uid),
        token(request.token),
        size(request.size),
        dry_run(request.dry_run) {}

  // Views into this.
  webhook::ledger::PlaceRequest view() const {
    return {.ns = ns,
            .cluster = cluster,
            .cluster_uid = cluster_uid,
            .group = group,
            .size = size,
            .review_uid = review_uid,
            .token = token,
            .dry_run = dry_run};
  }

  std::string ns, cluster, cluster_uid, group, review_uid, token;
  topology::GroupSize size;
  bool dry_run;
};

// Asked by any event loop.
class Places {
 public:
  virtual ~Places() = default;
  virtual net::Task<webhook::ledger::PlaceAnswer> place(OwnedPlaceRequest request) = 0;
  // See webhook::ledger::Ledger::note().
  virtual void note(const webhook::ledger::PlaceRequest& request, topology::Place place) = 0;
};

// A ledger that answers at once.
class PlacesAtOnce final : public Places {
 public:
  explicit PlacesAtOnce(std::unique_ptr<webhook::ledger::Ledger> ledger)
      : ledger_(std::move(ledger)) {}

  net::Task<webhook::ledger::PlaceAnswer> place(OwnedPlaceRequest request) override {
    const std::lock_guard lock(mutex_);
    co_return ledger_->place(request.view());
  }
  void note(const webhook::ledger::PlaceRequest& request, topology::Place place) override {
    const std::lock_guard lock(mutex_);
    ledger_->note(request, place);
  }

 private:
  std::mutex mutex_;
  const std::unique_ptr<webhook::ledger::Ledger> ledger_;
};

}  // namespace tpuwh::server::kube::places
