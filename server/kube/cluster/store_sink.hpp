// One kind's part of the store, as a watch fills it.
#pragma once

#include "server/kube/store/store.hpp"
#include "server/kube/watch/sink.hpp"

#include <string_view>

namespace tpuwh::server::kube::cluster {

class StoreSink final : public watch::Sink {
 public:
  StoreSink(store::Store& store, store::Kind kind) : store_(store), kind_(kind) {}
  void begin_relist() override { store_.begin_relist(kind_); }
  void upsert(std::string_view object) override { store_.upsert(kind_, object); }
  void remove(std::string_view object) override { store_.remove(kind_, object); }
  void end_relist() override { store_.end_relist(kind_); }
  void moved(net::TimePoint now) override { store_.moved(kind_, now); }

 private:
  store::Store& store_;
  const store::Kind kind_;
};

}  // namespace tpuwh::server::kube::cluster
