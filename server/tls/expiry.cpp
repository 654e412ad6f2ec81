#include "server/tls/expiry.hpp"

#include "server/limits/limits.hpp"

#include <algorithm>

namespace tpuwh::server::tls {
namespace {

Expiry::State state_of(SystemTime begin, SystemTime end, SystemTime now) {
  if (now >= end) return Expiry::State::expired;
  const SystemTime::duration quarter = end.time_since_epoch() / 4 - begin.time_since_epoch() / 4;
  const auto soon =
      std::clamp<SystemTime::duration>(quarter, SystemTime::duration(0), limits::certificate_soon);
  // Not `now + soon`: the end may be the last time there is.
  return end - soon <= now ? Expiry::State::ends_soon : Expiry::State::good;
}

}  // namespace

Expiry::Word Expiry::look(SystemTime begin, SystemTime end, SystemTime now) {
  const State before = state_;
  state_ = state_of(begin, end, now);
  // A clock that was set back speaks again.
  const bool again = now - said_ >= limits::certificate_repeat || now < said_;
  if (state_ == before && (state_ == State::good || !again)) return Word::none;
  said_ = now;
  switch (state_) {
    case State::good:
      return Word::good_again;
    case State::ends_soon:
      return Word::ends_soon;
    case State::expired:
      return Word::expired;
  }
  return Word::none;
}

}  // namespace tpuwh::server::tls
