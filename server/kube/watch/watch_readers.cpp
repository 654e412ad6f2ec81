#include "server/kube/watch/watch_readers.hpp"

#include <utility>

namespace tpuwh::server::kube::watch {

Step PageReader::finish(const client::Response& response) {
  const Moment moment = moments_();
  if (!page().error().empty()) return fsm_.undecodable(page().error(), moment);
  if (response.silent) return fsm_.silent(moment);
  if (!response.answered()) return fsm_.connection_failed(response.error, moment);
  if (!response.head.ok()) return fsm_.list_refused(response.status(), moment);
  if (!whole()) return fsm_.undecodable("the page ended before its list did", moment);
  Step step = fsm_.page(page().continue_token(), page().resource_version(), moment);
  if (step.note == Note::end_relist) {
    sink_.end_relist();
    sink_.moved(moment.now);
    step.note = Note::none;
  }
  return step;
}

void EventReader::on_head(const client::ResponseHead&) {
  fsm_.watch_opened(moments_());
}

bool EventReader::on_bytes(std::string_view bytes) {
  decoder_.feed(bytes);
  decode::WatchEvent event;
  for (;;) {
    const auto outcome = decoder_.next(event);
    if (outcome == decode::WatchDecoder::Outcome::need_more) return true;
    if (outcome != decode::WatchDecoder::Outcome::event) {
      next_ = fsm_.undecodable(decoder_.error(), moments_());
      return false;
    }
    Step step = take(event);
    if (std::holds_alternative<ReadOn>(step.action)) continue;
    next_ = std::move(step);
    return false;
  }
}

Step EventReader::take(const decode::WatchEvent& event) {
  const Moment moment = moments_();
  if (event.type == decode::EventType::error) {
    return fsm_.error_event(client::read_status(0, event.object), moment);
  }
  Step step = fsm_.event(event, moment);
  tell(step, event, moment);
  return step;
}

void EventReader::tell(const Step& step, const decode::WatchEvent& event, Moment moment) {
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
  if (!beside) sink_.moved(moment.now);
}

Step EventReader::finish(const client::Response& response) {
  if (next_) return std::move(*next_);
  const Moment moment = moments_();
  if (response.silent) return fsm_.silent(moment);
  if (!response.answered()) return fsm_.connection_failed(response.error, moment);
  if (!response.head.ok()) return fsm_.watch_refused(response.status(), moment);
  if (decoder_.between_events()) return fsm_.stream_ended(moment);
  return fsm_.connection_failed("the stream ended inside an event", moment);
}

}  // namespace tpuwh::server::kube::watch
