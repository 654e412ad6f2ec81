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

// Errors are kept per thread and by whoever ran last, hence forgotten before each try. Clearing
// goes through sixteen places where there might be one: 200 instructions, three times a review.
void forget_errors() {
  if (ERR_peek_error() != 0) ERR_clear_error();
  errno = 0;
}

bool is_later(int ssl_error) {
  return ssl_error == SSL_ERROR_NONE || ssl_error == SSL_ERROR_WANT_READ ||
         ssl_error == SSL_ERROR_WANT_WRITE;
}

}  // namespace

Stream::Stream(net::Socket socket, ContextPtr context)
    : Stream(std::move(socket), SslPtr(SSL_new(context->ssl.native_handle()), &SSL_free)) {
  context_ = std::move(context);
  SSL_set_accept_state(ssl_.get());
}

Stream::Stream(net::Socket socket, SslPtr ssl, std::size_t turn)
    : socket_(std::move(socket)), ssl_(std::move(ssl)) {
  if (ssl_ == nullptr) throw std::bad_alloc();
  socket_.native_non_blocking(true);
  const WireBio made = make_wire(socket_.native_handle(), turn);
  wire_ = made.wire;
  SSL_set_bio(ssl_.get(), made.bio, made.bio);
  // Partial: write_now() gives what goes at once. Moving: what is left is kept elsewhere by its
  // owner until write().
  SSL_set_mode(ssl_.get(), SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
}

// Each of the three tries, and waits for the socket when OpenSSL asks for it.

net::Task<net::error_code> Stream::handshake() {
  for (;;) {
    forget_errors();
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
// is never behind then never lets others run: its caller has to, between two requests.
net::Task<net::Received> Stream::read_some(std::span<char> room) {
  for (;;) {
    net::Received received{.error = {}, .size = read_now(room)};
    if (received.size > 0) co_return received;
    received.error = co_await wait_to_read();
    if (received.error) co_return received;
  }
}

std::size_t Stream::read_now(std::span<char> room) {
  if (failure_) return 0;
  std::size_t size = 0;
  reason_ = read_records(room, size);
  if (size > 0 && !is_later(reason_)) failure_ = last_error(reason_);
  return size;
}

net::Task<net::error_code> Stream::wait_to_read() {
  if (failure_) co_return failure_;
  if (chatters()) co_return net::error_code(boost::asio::error::connection_aborted);
  co_return co_await wait_for(reason_);
}

// A record at a time, as long as OpenSSL holds some of the next. What SSL_get_error() says of the
// one that could not be read.
int Stream::read_records(std::span<char> room, std::size_t& size) {
  do {
    forget_errors();
    std::size_t more = 0;
    if (SSL_read_ex(ssl_.get(), room.data() + size, room.size() - size, &more) != 1)
      return SSL_get_error(ssl_.get(), 0);
    wire_->see_data(more);
    size += more;
  } while (size < room.size() && SSL_has_pending(ssl_.get()) == 1);
  return SSL_ERROR_NONE;
}

// A record of application data is smaller, whatever came before it.
bool Stream::chatters() const {
  return wire_->chatter > limits::tls_chatter_bytes;
}

// What SSL_get_error() says of the record that could not be written; SSL_ERROR_NONE for all.
int Stream::write_records(std::string_view& bytes) {
  while (!bytes.empty()) {
    forget_errors();
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
  if (!is_later(reason)) sent.error = last_error(reason);
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

namespace {

// OpenSSL's reason for it; 0 for what is none of OpenSSL's.
int tls_reason(const net::error_code& error) {
  if (error.category() != boost::asio::error::get_ssl_category()) return 0;
  return ERR_GET_REASON(static_cast<unsigned long>(error.value()));
}

}  // namespace

bool says_stranger(const net::error_code& error) {
  const int reason = tls_reason(error);
  return reason == SSL_R_PEER_DID_NOT_RETURN_A_CERTIFICATE ||
         reason == SSL_R_CERTIFICATE_VERIFY_FAILED;
}

bool says_distrust(const net::error_code& error) {
  switch (tls_reason(error)) {
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
