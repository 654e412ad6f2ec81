// Turns the bytes of an answer into calls of the rules (WatchFsm) and of the store (Sink). No
// socket.
#pragma once

#include "server/kube/client/item_reader.hpp"
#include "server/kube/client/response.hpp"
#include "server/kube/decode/watch_decoder.hpp"
#include "server/kube/watch/sink.hpp"
#include "server/kube/watch/watch_fsm.hpp"

#include <cstddef>
#include <functional>
#include <optional>
#include <string_view>

namespace tpuwh::server::kube::watch {

// What a reader has of its watcher.
struct Pulse {
  std::function<Tick()> tick;
  // The watch lives: after what was told the sink, where Sink::moved is to be called.
  std::function<void(net::TimePoint now)> moved;
  // So many more objects were too long to be read.
  std::function<void(std::size_t objects)> passed_over;
};

// One list page: its objects go to the sink as they come.
class PageReader final : public client::ItemReader {
 public:
  PageReader(WatchFsm& fsm, Sink& sink, Pulse pulse)
      : fsm_(fsm), sink_(sink), pulse_(std::move(pulse)) {}

  // What follows, once the request has ended like this.
  Step finish(const client::Response& response);

 private:
  void on_item(std::string_view json) override { sink_.upsert(json); }

  WatchFsm& fsm_;
  Sink& sink_;
  Pulse pulse_;
};

// One watch, until something other than reading on is to be done.
class EventReader final : public client::StreamReader {
 public:
  EventReader(WatchFsm& fsm, Sink& sink, Pulse pulse)
      : fsm_(fsm), sink_(sink), pulse_(std::move(pulse)) {}

  void on_head(const client::ResponseHead&) override;
  bool on_bytes(std::string_view bytes) override;
  Step finish(const client::Response& response);

 private:
  Step take(const decode::WatchEvent& event);
  void tell(const Step& step, const decode::WatchEvent& event, Tick tick);
  void tell_passed_over();

  WatchFsm& fsm_;
  Sink& sink_;
  Pulse pulse_;
  decode::WatchDecoder decoder_;
  std::size_t passed_over_ = 0;  // of the decoder's, told so far
  std::optional<Step> next_;
};

}  // namespace tpuwh::server::kube::watch
