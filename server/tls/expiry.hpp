// When the log tells of a certificate that ends or has ended: a plain state machine.
#pragma once

#include "server/tls/context.hpp"

namespace tpuwh::server::tls {

class Expiry {
 public:
  enum class State { good, ends_soon, expired };
  enum class Word { none, ends_soon, expired, good_again };

  // What to say of a certificate with these dates: something when its state has changed, and again
  // every limits::certificate_repeat while it is not good. At most once a call; any clock.
  Word look(SystemTime begin, SystemTime end, SystemTime now);

 private:
  State state_ = State::good;
  SystemTime said_{};
};

}  // namespace tpuwh::server::tls
