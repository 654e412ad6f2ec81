#include "server/tls/stream.hpp"

#include "server/limits/limits.hpp"

#include <boost/asio/ssl/error.hpp>

#include <openssl/err.h>

#include <cerrno>
#include <new>
#include <utility>

namespace tpuwh::server::tls {
namespace {

// Why OpenSSL's last call on this thread failed for good.
net::error_code last_error(int ssl_error) {
  if (ssl_error == SSL_ERROR_ZERO_RETURN) return boost::asio::error::eof;
  if (const auto code = ERR_get_error(); code != 0) {
    return {static_cast<int>(code), boost::asio::error::get_ssl_category()};
  }
  if (errno != 0) return {errno, boost::system::system_category()};
  return boost::asio::error::eof;
}

}  // namespace

Stream::Stream(net::Socket socket, ContextPtr context)
    : Stream(std::move(socket), SslPtr(SSL_new(context->ssl.native_handle()), &SSL_free)) {
  context_ = std::move(context);
  SSL_set_accept_state(ssl_.get());
}

Stream::Stream(net::Socket socket, SslPtr ssl) : socket_(std::move(socket)), ssl_(std::move(ssl)) {
  if (ssl_ == nullptr) throw std::bad_alloc();
  socket_.native_non_blocking(true);
  const WireBio made = make_wire(socket_.native_handle());
  wire_ = made.wire;
  SSL_set_bio(ssl_.get(), made.bio, made.bio);
  // Partial: write_now() gives what goes at once. Moving: what is left is kept elsewhere by its
  // owner until write().
  SSL_set_mode(ssl_.get(), SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
}

// Each of the three tries, and waits for the socket when OpenSSL asks for it. Errors
// are kept per thread and by whoever ran last, hence cleared before each try.

net::Task<net::error_code> Stream::handshake() {
  for (;;) {
    ERR_clear_error();
    errno = 0;
    const int result = SSL_do_handshake(ssl_.get());
    if (result == 1) {
      wire_->chatter = 0;  // else the first request came in short turns
      wire_->begin_turn();
      co_return net::error_code();
    }
    const int reason = SSL_get_error(ssl_.get(), result);
    const net::error_code error = co_await wait_for(reason);
    if (error) co_return error;
  }
}

// Tried before it waits, which saves a turn of the loop for each request that is there. A peer that
// is never behind then never lets others run: the caller has to ask waited().
net::Task<net::Received> Stream::read_some(std::span<char> room) {
  waited_ = false;
  for (;;) {
    ERR_clear_error();
    errno = 0;
    net::Received received;
    if (SSL_read_ex(ssl_.get(), room.data(), room.size(), &received.size) == 1) {
      wire_->chatter = 0;
      co_return received;
    }
    const int reason = SSL_get_error(ssl_.get(), 0);
    if (chatters())
      received.error = boost::asio::error::connection_aborted;
    else
      received.error = co_await wait_for(reason);
    if (received.error) co_return received;
  }
}

// A record of application data is smaller, whatever came before it.
bool Stream::chatters() const {
  return wire_->chatter > limits::tls_chatter_bytes;
}

// What SSL_get_error() says of the record that could not be written; SSL_ERROR_NONE for all.
int Stream::write_records(std::string_view& bytes) {
  while (!bytes.empty()) {
    ERR_clear_error();
    errno = 0;
    std::size_t written = 0;  // a record at a time
    if (SSL_write_ex(ssl_.get(), bytes.data(), bytes.size(), &written) != 1)
      return SSL_get_error(ssl_.get(), 0);
    bytes.remove_prefix(written);
  }
  return SSL_ERROR_NONE;
}

net::Sent Stream::write_now(std::string_view bytes) {
  std::string_view rest = bytes;
  const int reason = write_records(rest);
  net::Sent sent{.size = bytes.size() - rest.size()};
  const bool later = reason == SSL_ERROR_WANT_READ || reason == SSL_ERROR_WANT_WRITE;
  if (reason != SSL_ERROR_NONE && !later) sent.error = last_error(reason);
  return sent;
}

net::Task<net::error_code> Stream::write(std::string_view bytes) {
  for (;;) {
    const int reason = write_records(bytes);
    if (reason == SSL_ERROR_NONE) co_return net::error_code();
    const net::error_code error = co_await wait_for(reason);
    if (error) co_return error;
  }
}

void Stream::say_goodbye() {
  SSL_shutdown(ssl_.get());
  ERR_clear_error();
}

bool says_distrust(const net::error_code& error) {
  if (error.category() != boost::asio::error::get_ssl_category()) return false;
  switch (ERR_GET_REASON(static_cast<unsigned long>(error.value()))) {
    case SSL_R_TLSV1_ALERT_UNKNOWN_CA:
    case SSL_R_SSLV3_ALERT_BAD_CERTIFICATE:  // Go's, for any reason
    case SSL_R_SSLV3_ALERT_CERTIFICATE_EXPIRED:
    case SSL_R_SSLV3_ALERT_CERTIFICATE_UNKNOWN:
      return true;
    default:
      return false;
  }
}

net::Task<net::error_code> Stream::wait_for(int ssl_error) {
  waited_ = true;
  const bool turn_over = wire_->turn_over;
  wire_->begin_turn();
  if (ssl_error == SSL_ERROR_WANT_READ && turn_over) {
    co_await net::let_others_run(socket_.get_executor());
    co_return net::error_code();
  }
  if (ssl_error == SSL_ERROR_WANT_READ) {
    const auto [error] = co_await socket_.async_wait(net::Socket::wait_read, net::as_result);
    co_return error;
  }
  if (ssl_error == SSL_ERROR_WANT_WRITE) {
    const auto [error] = co_await socket_.async_wait(net::Socket::wait_write, net::as_result);
    co_return error;
  }
  co_return last_error(ssl_error);
}

}  // namespace tpuwh::server::tls
