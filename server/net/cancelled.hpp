// Whether the coroutine was told to end.
#pragma once

#include "server/net/asio.hpp"

#include <boost/asio/this_coro.hpp>

namespace tpuwh::server::net {

// An operation that is begun after the cancellation knows nothing of it, so loops ask.
inline Task<bool> cancelled() {
  const auto state = co_await boost::asio::this_coro::cancellation_state;
  co_return state.cancelled() != boost::asio::cancellation_type::none;
}

}  // namespace tpuwh::server::net
