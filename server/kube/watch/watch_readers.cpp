#include "server/kube/watch/watch_readers.hpp"

#include <utility>

namespace tpuwh::server::kube::watch {

Step PageReader::finish(const client::Response& response) {
  const Tick tick = pulse_.tick();
  if (page().passed_over() > 0) pulse_.passed_over(page().passed_over());
  if (!page().error().empty()) return fsm_.undecodable(page().error(), tick);
  if (response.silent) return fsm_.silent(tick);
  if (!response.answered()) return fsm_.connection_failed(response.error, tick);
  if (!response.head.ok()) return fsm_.list_refused(response.status(), tick);
  // As HTTP counts it came whole; taken for the end, what it lacks would count as deleted.
  if (!whole()) return fsm_.undecodable("the page ended before its list did", tick);
  Step step = fsm_.page(page().continue_token(), page().resource_version(), tick);
  if (step.note == Note::end_relist) {
    sink_.end_relist();
    pulse_.moved(tick.now);
    step.note = Note::none;
  }
  return step;
}

void EventReader::on_head(const client::ResponseHead&) {
  fsm_.watch_opened(pulse_.tick());
}

bool EventReader::on_bytes(std::string_view bytes) {
  decoder_.feed(bytes);
  decode::WatchEvent event;
  for (;;) {
    const auto outcome = decoder_.next(event);
    if (outcome == decode::WatchDecoder::Outcome::need_more) {
      tell_passed_over();
      return true;
    }
    if (outcome != decode::WatchDecoder::Outcome::event) {
      next_ = fsm_.undecodable(decoder_.error(), pulse_.tick());
      return false;
    }
    Step step = take(event);
    if (std::holds_alternative<ReadOn>(step.action)) continue;
    next_ = std::move(step);
    return false;
  }
}

void EventReader::tell_passed_over() {
  const std::size_t more =
      decoder_.passed_over() - std::exchange(passed_over_, decoder_.passed_over());
  if (more > 0) pulse_.passed_over(more);
}

Step EventReader::take(const decode::WatchEvent& event) {
  const Tick tick = pulse_.tick();
  if (event.type == decode::EventType::error) {
    return fsm_.error_event(client::read_status(0, event.object), tick);
  }
  Step step = fsm_.event(event, tick);
  tell(step, event, tick);
  return step;
}

void EventReader::tell(const Step& step, const decode::WatchEvent& event, Tick tick) {
  // Initial events come in no order of versions: until their end the store is of no moment at all.
  const bool beside = fsm_.state() == WatchState::receiving;
  switch (step.note) {
    case Note::none:
    case Note::begin_relist:  // with what follows
      return;
    case Note::apply:
      if (event.type == decode::EventType::deleted) {
        sink_.remove(event.object);
      } else {
        sink_.upsert(event.object);
      }
      break;
    case Note::end_relist:
      sink_.end_relist();
      break;
    case Note::moved:
      break;
  }
  if (!beside) pulse_.moved(tick.now);
}

Step EventReader::finish(const client::Response& response) {
  if (next_) return std::move(*next_);
  const Tick tick = pulse_.tick();
  if (response.silent) return fsm_.silent(tick);
  if (!response.answered()) return fsm_.connection_failed(response.error, tick);
  if (!response.head.ok()) return fsm_.watch_refused(response.status(), tick);
  if (decoder_.between_events()) return fsm_.stream_ended(tick);
  return fsm_.connection_failed("the stream ended inside an event", tick);
}

}  // namespace tpuwh::server::kube::watch
