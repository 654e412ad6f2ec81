// Bytes of a watch in, events out: {"type":"ADDED","object":{…}} and a newline each.
//
// Where the bytes are cut means nothing: an event may come in pieces and a piece may hold
// several. The API server writes one line per event (docs/facts.md#watch). A line longer than the
// limit is passed over and counted: whoever may create Pods can cause one, and a watch that began
// again at it would never follow its resource again.
#pragma once

#include "base/json/reader.hpp"
#include "server/limits/limits.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace tpuwh::server::kube::decode {

enum class EventType {
  added,
  modified,
  deleted,   // the object as it was last
  bookmark,  // of the object only its version is there
  error,     // the object is a Status
  unknown,   // a type of a later Kubernetes: to be ignored
};

// The views are good until the decoder is used again.
struct WatchEvent {
  EventType type = EventType::unknown;
  std::string_view type_text;
  std::string_view object;   // JSON text; the reader's padding is readable behind it
  std::string_view version;  // metadata.resourceVersion; empty if there is none
  bool initial_events_end = false;
};

class WatchDecoder {
 public:
  explicit WatchDecoder(std::size_t most_bytes = limits::api::object_bytes)
      : most_bytes_(most_bytes) {}

  enum class Outcome {
    event,      // `event` is filled
    need_more,  // everything complete was given out
    malformed,  // a line that is not an event: see error()
  };

  // Appends what came. Call next() until it asks for more.
  void feed(std::string_view bytes);
  // After malformed the stream is of no more use: forget it and reset().
  Outcome next(WatchEvent& event);

  // Whether the stream may end here: no event has begun.
  bool between_events() const;
  void reset();

  const std::string& error() const { return error_; }
  // Lines longer than the limit, since reset().
  std::size_t passed_over() const { return passed_over_; }

 private:
  bool read_event(std::string_view line, WatchEvent& event);
  bool read_object(WatchEvent& event);
  bool read_metadata(WatchEvent& event);
  bool read_annotations(WatchEvent& event);

  std::size_t most_bytes_;
  base::json::Reader reader_;
  std::string buffer_;
  std::size_t begin_ = 0;     // of what was not given out yet
  std::size_t searched_ = 0;  // no newline before this
  bool passing_ = false;      // over the rest of a line
  std::size_t passed_over_ = 0;
  std::string error_;
};

}  // namespace tpuwh::server::kube::decode
