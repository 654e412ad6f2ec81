// The Asio types of the server, chosen once.
//
// Everything runs on a plain io_context executor: the type-erased one that Asio
// takes by default costs an allocation and two indirect calls per operation
// (docs/facts.md#asio-executor).
#pragma once

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/basic_socket_acceptor.hpp>
#include <boost/asio/basic_stream_socket.hpp>
#include <boost/asio/basic_waitable_timer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/error_code.hpp>

#include <chrono>
#include <cstddef>

namespace tpuwh::server::net {

using boost::system::error_code;

using Executor = boost::asio::io_context::executor_type;
using Clock = std::chrono::steady_clock;
using TimePoint = Clock::time_point;

template <class T>
using Task = boost::asio::awaitable<T, Executor>;

using Endpoint = boost::asio::ip::tcp::endpoint;
using AnySocket = boost::asio::basic_socket<boost::asio::ip::tcp, Executor>;
using Socket = boost::asio::basic_stream_socket<boost::asio::ip::tcp, Executor>;
using Acceptor = boost::asio::basic_socket_acceptor<boost::asio::ip::tcp, Executor>;
using Timer = boost::asio::basic_waitable_timer<Clock, boost::asio::wait_traits<Clock>, Executor>;

// `auto [error, n] = co_await op(…, as_result);`: a peer that closes is not an exception.
// GCC 12 frees twice what stands as an aggregate temporary inside a co_await expression
// (`co_await f(Agg{a, b})`), and after `co_await (c ? f() : g())` (seen with AddressSanitizer):
// give the argument a name first, and use `if`.
inline constexpr boost::asio::as_tuple_t<boost::asio::use_awaitable_t<Executor>> as_result{};

// What a stream's read brought.
struct Received {
  error_code error;
  std::size_t size = 0;
};

// What a stream could write at once. Fewer bytes than were given and no error: the socket is
// full.
struct Sent {
  error_code error = {};
  std::size_t size = 0;
};

// Comes back when everything else that is ready has had its turn.
inline Task<void> let_others_run(Executor executor) {
  co_await boost::asio::post(executor, boost::asio::use_awaitable_t<Executor>());
}

}  // namespace tpuwh::server::net
