#include "peer.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <stdexcept>

namespace attacker {
namespace {

sockaddr_in address(const std::string& host, std::uint16_t port) {
  sockaddr_in made{};
  made.sin_family = AF_INET;
  made.sin_port = htons(port);
  if (inet_pton(AF_INET, host.c_str(), &made.sin_addr) != 1 || !host.starts_with("127."))
    throw std::invalid_argument("no address of the loopback: " + host);
  return made;
}

template <class Call>
int on_address(Call call, int descriptor, const sockaddr_in& where) {
  return call(descriptor, reinterpret_cast<const sockaddr*>(&where), sizeof where);
}

bool would_block() {
  return errno == EAGAIN || errno == EINTR;
}

}  // namespace

Peer::Peer(SSL_CTX* context, const Target& target) : ssl_(SSL_new(context)) {
  descriptor_ = ::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (descriptor_ < 0) throw std::runtime_error("no socket left: raise the limit of open files");
  const int on = 1;
  setsockopt(descriptor_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  setsockopt(descriptor_, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &on, sizeof on);
  const int smallest = 2048;
  if (target.small_window)
    setsockopt(descriptor_, SOL_SOCKET, SO_RCVBUF, &smallest, sizeof smallest);
  encrypted_ = BIO_new(BIO_s_mem());
  SSL_set_bio(ssl_.get(), BIO_new_socket(descriptor_, BIO_NOCLOSE), encrypted_);
  SSL_set_connect_state(ssl_.get());
  const bool bound = on_address(::bind, descriptor_, address(target.bind, 0)) == 0;
  const sockaddr_in server = address("127.0.0.1", target.port);
  if (!bound || (on_address(::connect, descriptor_, server) != 0 && errno != EINPROGRESS)) close();
}

Peer::~Peer() {
  close();
}

void Peer::close() {
  if (descriptor_ >= 0) ::close(descriptor_);
  descriptor_ = -1;
  state_ = State::closed;
}

void Peer::open() {
  ERR_clear_error();
  const int result = SSL_do_handshake(ssl_.get());
  const int reason = SSL_get_error(ssl_.get(), result);
  flush();
  if (state_ == State::closed) return;
  if (result == 1) {
    state_ = State::open;
  } else if (reason != SSL_ERROR_WANT_READ && reason != SSL_ERROR_WANT_WRITE) {
    close();
  }
}

void Peer::send(std::string_view plain) {
  std::size_t written = 0;  // memory takes everything
  if (SSL_write_ex(ssl_.get(), plain.data(), plain.size(), &written) != 1) close();
}

std::size_t Peer::unsent() const {
  return out_.size() - out_begin_ + BIO_ctrl_pending(encrypted_);
}

void Peer::flush() {
  while (state_ != State::closed && unsent() > 0) {
    if (out_begin_ == out_.size()) {
      char* bytes = nullptr;
      const long size = BIO_get_mem_data(encrypted_, &bytes);
      out_.assign(bytes, static_cast<std::size_t>(size));
      out_begin_ = 0;
      BIO_reset(encrypted_);
    }
    const ssize_t taken = ::send(descriptor_, out_.data() + out_begin_, out_.size() - out_begin_,
                                 MSG_NOSIGNAL | MSG_DONTWAIT);
    if (taken < 0) {
      if (!would_block() && errno != ENOTCONN) close();
      return;
    }
    out_begin_ += static_cast<std::size_t>(taken);
  }
}

std::size_t Peer::discard() {
  constexpr std::size_t at_once = 1 << 20;
  std::size_t all = 0;
  while (state_ == State::open) {
    const ssize_t size = ::recv(descriptor_, nullptr, at_once, MSG_TRUNC | MSG_DONTWAIT);
    if (size == 0 || (size < 0 && !would_block())) close();
    if (size <= 0) break;
    all += static_cast<std::size_t>(size);
  }
  return all;
}

void Peer::receive(std::string& text) {
  char piece[16384];
  for (;;) {
    ERR_clear_error();
    std::size_t size = 0;
    if (SSL_read_ex(ssl_.get(), piece, sizeof piece, &size) == 1) {
      text.append(piece, size);
      continue;
    }
    const int reason = SSL_get_error(ssl_.get(), 0);
    if (reason != SSL_ERROR_WANT_READ && reason != SSL_ERROR_WANT_WRITE) close();
    return;
  }
}

}  // namespace attacker
