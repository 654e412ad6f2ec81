// TLS on a socket: OpenSSL reads and writes the descriptor through a BIO of ours
// (server/tls/wire.hpp), and Asio says when it is ready.
//
// Not Asio's own stream: that one moves every byte through three more buffers of 17 KB
// and keeps them, so that an idle connection holds 118 KiB in place of 54 (measured
// 2026-11: resident memory of 600 connections after a 12 KB review each).
#pragma once

#include "server/net/asio.hpp"
#include "server/tls/context.hpp"
#include "server/tls/wire.hpp"

#include <openssl/ssl.h>

#include <memory>
#include <span>
#include <string_view>

namespace tpuwh::server::tls {

using SslPtr = std::unique_ptr<SSL, decltype(&SSL_free)>;

// Either end. After an error only socket() is of use. To end it from outside,
// shut the socket down and do not close it: OpenSSL would go on with a number that may
// be another connection's by then.
class Stream {
 public:
  // The server's end.
  Stream(net::Socket socket, ContextPtr context);
  // Either: `ssl` knows which it is and lacks nothing but the descriptor. `turn`: bytes that are
  // read before others run.
  Stream(net::Socket socket, SslPtr ssl, std::size_t turn = one_record);

  net::Task<net::error_code> handshake();

  // At least one byte, and what else was read already and fits; or an error. A peer that says
  // goodbye is boost::asio::error::eof.
  // Others get their turn when a peer sends more than OpenSSL can be let read at once, and a
  // peer that sends limits::tls_chatter_bytes without one for us is an error.
  net::Task<net::Received> read_some(std::span<char> room);

  // The same in two parts, so that nobody holds room who waits. Bytes that have come; 0 where
  // wait_to_read() has to say what becomes of it: another try, or an error.
  std::size_t read_now(std::span<char> room);
  net::Task<net::error_code> wait_to_read();

  // Whether the peer has said more than read_some() has given, if only goodbye: what OpenSSL has
  // read ahead is not on the socket any more.
  bool has_unread() const { return failure_ || SSL_has_pending(ssl_.get()) == 1; }

  // As much as goes without waiting. Of what is left, all has to be given to write().
  net::Sent write_now(std::string_view bytes);

  // All of it.
  net::Task<net::error_code> write(std::string_view bytes);

  // Others have run since the last read: as much may be read at once as after a wait.
  void begin_turn() { wire_->begin_turn(); }

  // Tells the peer that no more will come, as far as that is possible at once.
  void say_goodbye();

  net::Socket& socket() { return socket_; }
  SSL* ssl() { return ssl_.get(); }

 private:
  net::Task<net::error_code> wait_for(int ssl_error);
  int read_records(std::span<char> room, std::size_t& size);
  int write_records(std::string_view& bytes);
  bool chatters() const;

  ContextPtr context_;
  net::Socket socket_;
  SslPtr ssl_;
  Wire* wire_;               // ssl_ owns it
  net::error_code failure_;  // what the bytes that were read last ended with
  int reason_ = 0;           // SSL_get_error() of the last try to read
};

// Whether a handshake failed because the peer refuses our certificate.
bool says_distrust(const net::error_code& error);
// Or because it showed none that we take (server/tls/clients.hpp).
bool says_stranger(const net::error_code& error);

}  // namespace tpuwh::server::tls
