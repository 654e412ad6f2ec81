#include "server/kube/decode/watch_decoder.hpp"

#include "base/result.hpp"
#include "webhook/read/body.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace tpuwh::server::kube::decode {
namespace {

// Of KEP-3157: on the bookmark behind the initial events.
constexpr std::string_view end_annotation = "k8s.io/initial-events-end";

constexpr std::array<std::pair<std::string_view, EventType>, 5> types = {{
    {"ADDED", EventType::added},
    {"MODIFIED", EventType::modified},
    {"DELETED", EventType::deleted},
    {"BOOKMARK", EventType::bookmark},
    {"ERROR", EventType::error},
}};

EventType type_of(std::string_view text) {
  const auto found = std::ranges::find(types, text, [](const auto& entry) { return entry.first; });
  return found != types.end() ? found->second : EventType::unknown;
}

bool is_blank(std::string_view line) {
  return line.find_first_not_of(" \t\r\n") == std::string_view::npos;
}

}  // namespace

void WatchDecoder::feed(std::string_view bytes) {
  buffer_.erase(0, begin_);
  searched_ -= begin_;
  begin_ = 0;
  buffer_.append(bytes);
  buffer_.reserve(buffer_.size() + webhook::read::padding);  // readable behind the last line
}

WatchDecoder::Outcome WatchDecoder::next(WatchEvent& event) {
  for (;;) {
    const auto end = buffer_.find('\n', searched_);
    const bool whole = end != std::string::npos;
    searched_ = whole ? end + 1 : buffer_.size();
    if (passing_ || searched_ - begin_ > most_bytes_) {
      if (!std::exchange(passing_, !whole)) ++passed_over_;
      begin_ = searched_;
      if (whole) continue;
      return Outcome::need_more;
    }
    if (!whole) return Outcome::need_more;
    const auto line = std::string_view(buffer_).substr(begin_, end - begin_);
    begin_ = searched_;
    if (is_blank(line)) continue;
    event = {};
    if (read_event(line, event)) return Outcome::event;
    error_ = "an event that cannot be read: " + reader_.error().text();
    return Outcome::malformed;
  }
}

bool WatchDecoder::between_events() const {
  return !passing_ && is_blank(std::string_view(buffer_).substr(begin_));
}

void WatchDecoder::reset() {
  buffer_.clear();
  begin_ = searched_ = passed_over_ = 0;
  passing_ = false;
  error_.clear();
}

// The object is read whatever the type is: the keys may come in any order.
bool WatchDecoder::read_event(std::string_view line, WatchEvent& event) {
  base::json::Reader::Mark object;
  const bool read = reader_.start(line) && reader_.object([&](std::string_view key) {
    if (key == "type") return reader_.string(event.type_text);
    if (key != "object") return reader_.skip();
    object = reader_.mark();
    return reader_.raw_value(event.object);
  }) && reader_.finish();
  if (!read) return false;
  if (event.type_text.empty()) return reader_.fail(base::Errc::bad_json, "no type in it");
  if (!object) return reader_.fail(base::Errc::bad_json, "no object in it");
  event.type = type_of(event.type_text);
  reader_.go_to(object);
  return read_object(event);
}

bool WatchDecoder::read_object(WatchEvent& event) {
  return reader_.object([&](std::string_view key) {
    return key == "metadata" ? read_metadata(event) : reader_.skip();
  });
}

bool WatchDecoder::read_metadata(WatchEvent& event) {
  return reader_.object([&](std::string_view key) {
    if (key == "resourceVersion") return reader_.string(event.version);
    if (key == "annotations" && event.type == EventType::bookmark) return read_annotations(event);
    return reader_.skip();
  });
}

bool WatchDecoder::read_annotations(WatchEvent& event) {
  if (reader_.take_null()) return true;
  return reader_.object([&](std::string_view key) {
    if (key != end_annotation) return reader_.skip();
    std::string_view value;
    if (!reader_.string(value)) return false;
    event.initial_events_end = value == "true";
    return true;
  });
}

}  // namespace tpuwh::server::kube::decode
