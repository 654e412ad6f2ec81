// A socket without TLS, with the same operations as tls::Stream, and the same turns.
#pragma once

#include "server/net/asio.hpp"

#include <boost/asio/write.hpp>

#include <algorithm>
#include <cstddef>
#include <span>
#include <string_view>
#include <utility>

namespace tpuwh::server::net {

class PlainStream {
 public:
  // What read_now() gives before others run. Without an end, size lines of chunks that came as fast
  // as they were read kept the control loop for 0.25 s a connection (2026-11).
  static constexpr std::size_t turn_bytes = 16u << 10;

  explicit PlainStream(Socket socket) : socket_(std::move(socket)) {
    error_code ignored;  // then what is done now waits
    socket_.non_blocking(true, ignored);
  }

  Task<Received> read_some(std::span<char> room) {
    const auto buffer = boost::asio::buffer(room.data(), room.size());
    const auto [error, size] = co_await socket_.async_read_some(buffer, as_result);
    Received received{error, size};
    co_return received;
  }

  std::size_t read_now(std::span<char> room) {
    turn_over_ = turn_left_ == 0;
    if (turn_over_) return 0;
    const std::size_t most = std::min(room.size(), turn_left_);
    const std::size_t size = socket_.read_some(boost::asio::buffer(room.data(), most), failure_);
    turn_left_ -= size;
    return size;
  }
  Task<error_code> wait_to_read() {
    const bool turn_over = turn_over_;
    begin_turn();
    if (turn_over) {
      co_await let_others_run(socket_.get_executor());
      co_return error_code();
    }
    if (failure_ != boost::asio::error::would_block) co_return failure_;
    const auto [error] = co_await socket_.async_wait(Socket::wait_read, as_result);
    co_return error;
  }

  Sent write_now(std::string_view bytes) {
    Sent sent;
    sent.size = socket_.write_some(boost::asio::buffer(bytes.data(), bytes.size()), sent.error);
    if (sent.error == boost::asio::error::would_block) sent.error = {};
    return sent;
  }

  Task<error_code> write(std::string_view bytes) {
    const auto buffer = boost::asio::buffer(bytes.data(), bytes.size());
    const auto [error, size] = co_await boost::asio::async_write(socket_, buffer, as_result);
    co_return error;
  }

  bool has_unread() const { return false; }  // nothing is read ahead

  // Others have run since the last read.
  void begin_turn() {
    turn_left_ = turn_bytes;
    turn_over_ = false;
  }

  void say_goodbye() {}

  Socket& socket() { return socket_; }

 private:
  Socket socket_;
  error_code failure_ = boost::asio::error::would_block;  // of the last try to read at once
  std::size_t turn_left_ = turn_bytes;
  bool turn_over_ = false;  // the last read_now() did not try
};

}  // namespace tpuwh::server::net
