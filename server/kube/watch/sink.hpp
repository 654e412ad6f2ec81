// Where a watcher puts what is in the cluster: the store, or a test.
#pragma once

#include "server/net/asio.hpp"

#include <string_view>

namespace tpuwh::server::kube::watch {

// One resource's objects, in the order of the API server. On the watcher's thread; nothing
// throws. An object's text is good for the call, and the reader's padding is readable behind
// it. Items of a list may lack apiVersion and kind (kube/decode/list_decoder.hpp).
class Sink {
 public:
  virtual ~Sink() = default;

  // All there is comes again, into what is there: what comes is marked. Called again before its
  // end, the marks of the attempt before count no more (docs/decisions/0009).
  virtual void begin_relist() = 0;
  // Between the two, too; and an object may come twice.
  virtual void upsert(std::string_view object_json) = 0;
  virtual void remove(std::string_view object_json) = 0;  // as it was last
  // It was all: what was not marked is gone.
  virtual void end_relist() = 0;

  // After each of the other calls but begin_relist and those before end_relist, and after a
  // bookmark: what is known is of this moment.
  virtual void moved(net::TimePoint now) = 0;
};

}  // namespace tpuwh::server::kube::watch
