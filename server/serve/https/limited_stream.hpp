// A connection's stream as its session has it: whoever waits says for what, and until when.
#pragma once

#include "server/net/asio.hpp"
#include "server/net/plain_stream.hpp"
#include "server/serve/https/connections.hpp"
#include "server/tls/stream.hpp"

#include <array>
#include <cstddef>
#include <span>
#include <string_view>

namespace tpuwh::server::https {

// Whether the last try to read waits for room to write.
inline bool reads_after_writing(tls::Stream& stream) {
  return SSL_want_write(stream.ssl());
}
inline bool reads_after_writing(net::PlainStream&) {
  return false;
}

// Nothing else that a session has can make it wait for its peer: the stream and its socket are
// behind this. What waits is told to the connection before it begins, so that the sweep knows
// (`Wait` has no value by itself), and the session says `resume()` when it goes on. "100 Continue"
// into a full socket was once in nobody's limit.
template <class Stream>
class LimitedStream {
 public:
  LimitedStream(Stream& stream, Connection& connection)
      : stream_(stream), connection_(connection) {}

  // At once, as the stream has them.
  std::size_t read_now(std::span<char> room) { return stream_.read_now(room); }
  net::Sent write_now(std::string_view bytes) { return stream_.write_now(bytes); }
  bool has_unread() const { return stream_.has_unread(); }
  void begin_turn() { stream_.begin_turn(); }
  void say_goodbye() { stream_.say_goodbye(); }
  net::Executor executor() { return stream_.socket().get_executor(); }

  // What may wait. Each returns what is to be awaited at once: not a coroutine of its own, which
  // would cost each request a frame.

  [[nodiscard]] auto handshake(const Wait& wait) {
    connection_.wait(wait);
    return stream_.handshake();
  }

  // After read_now() had nothing. TLS may have something to say first, such as the answer to a key
  // update: while it waits for room to do so it reads nothing, and what the peer has sent besides
  // is no reason to wait for it longer.
  [[nodiscard]] auto wait_to_read(Wait wait) {
    if (reads_after_writing(stream_)) wait.what = Waiting::write;
    connection_.wait(wait);
    return stream_.wait_to_read();
  }

  // For a byte on the socket, without a try to read it.
  [[nodiscard]] auto wait_for_bytes(const Wait& wait) {
    connection_.wait(wait);
    return stream_.socket().async_wait(net::Socket::wait_read, net::as_result);
  }

  // `bytes` live until it has ended.
  [[nodiscard]] auto write(std::string_view bytes, const Wait& wait) {
    connection_.wait(wait);
    return stream_.write(bytes);
  }

  // Says that no more will come, then reads and forgets until the peer closes or the sweep does.
  [[nodiscard]] net::Task<void> throw_away(const Wait& wait) {
    connection_.wait(wait);
    return throw_all_away(stream_.socket());
  }

 private:
  static net::Task<void> throw_all_away(net::Socket& socket) {
    net::error_code ignored;
    socket.shutdown(net::Socket::shutdown_send, ignored);
    std::array<char, 4096> scrap;
    for (;;) {
      const auto [error, size] =
          co_await socket.async_read_some(boost::asio::buffer(scrap), net::as_result);
      if (error) co_return;
    }
  }

  Stream& stream_;
  Connection& connection_;
};

}  // namespace tpuwh::server::https
