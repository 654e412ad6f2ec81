// A socket without TLS, with the same operations as tls::Stream.
#pragma once

#include "server/net/asio.hpp"

#include <boost/asio/write.hpp>

#include <span>
#include <string_view>
#include <utility>

namespace tpuwh::server::net {

class PlainStream {
 public:
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
    return socket_.read_some(boost::asio::buffer(room.data(), room.size()), failure_);
  }
  Task<error_code> wait_to_read() {
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

  void begin_turn() {}

  void say_goodbye() {}

  Socket& socket() { return socket_; }

 private:
  Socket socket_;
  error_code failure_ = boost::asio::error::would_block;  // of the last read_now()
};

}  // namespace tpuwh::server::net
