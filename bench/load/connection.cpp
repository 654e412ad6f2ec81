#include "bench/load/connection.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <stdexcept>

namespace tpuwh::bench {
namespace {

int connect_to(const sockaddr_in& address) {
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const auto* const general = reinterpret_cast<const sockaddr*>(&address);
  if (socket < 0 || ::connect(socket, general, sizeof address) != 0)
    throw std::runtime_error("cannot connect");
  const int on = 1;
  ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  ::fcntl(socket, F_SETFL, O_NONBLOCK);
  return socket;
}

// Whether an answer has come whole. Throws for one that is not 200.
bool is_whole(std::string_view answer) {
  const auto end = answer.find("\r\n\r\n");
  if (end == std::string_view::npos) return false;
  const std::string_view head = answer.substr(0, end);
  if (head.substr(0, head.find('\r')).find(" 200") == std::string_view::npos)
    throw std::runtime_error("answered " + std::string(head.substr(0, head.find('\r'))));
  constexpr std::string_view name = "ontent-Length: ";  // 'C' or 'c'
  const auto length = head.find(name);
  if (length == std::string_view::npos) return answer.ends_with("\r\n0\r\n\r\n");  // in chunks
  return answer.size() >= end + 4 + std::strtoul(head.data() + length + name.size(), nullptr, 10);
}

}  // namespace

sockaddr_in loopback_address(const std::string& text) {
  const auto colon = text.find(':');
  sockaddr_in address{};
  address.sin_family = AF_INET;
  const bool good = colon != std::string::npos && text.starts_with("127.") &&
                    ::inet_pton(AF_INET, text.substr(0, colon).c_str(), &address.sin_addr) == 1;
  if (!good) throw std::runtime_error('"' + text + "\": want a loopback address, 127.0.0.1:PORT");
  address.sin_port = htons(static_cast<std::uint16_t>(std::stoi(text.substr(colon + 1))));
  return address;
}

Connection::Connection(SSL_CTX* context, const sockaddr_in& address, int epoll)
    : ssl_(SSL_new(context)), socket_(connect_to(address)) {
  SSL_set_fd(ssl_, socket_);
  SSL_set_connect_state(ssl_);
  SSL_set_mode(ssl_, SSL_MODE_ENABLE_PARTIAL_WRITE);
  epoll_event event{.events = EPOLLIN | EPOLLOUT | EPOLLET, .data = {.ptr = this}};
  ::epoll_ctl(epoll, EPOLL_CTL_ADD, socket_, &event);
}

Connection::~Connection() {
  SSL_shutdown(ssl_);
  SSL_free(ssl_);
  ::close(socket_);
}

void Connection::send(std::string_view request, Clock::time_point due) {
  rest_ = request;
  due_ = due;
  state_ = State::sending;
  write();
}

Progress Connection::advance() {
  if (state_ == State::handshake) return shake_hands();
  if (state_ == State::sending) write();
  return state_ == State::receiving ? read() : Progress::waits;
}

bool Connection::would_wait(int result) const {
  const int reason = SSL_get_error(ssl_, result);
  if (reason == SSL_ERROR_WANT_READ || reason == SSL_ERROR_WANT_WRITE) return true;
  throw std::runtime_error("the server closed a connection");
}

Progress Connection::shake_hands() {
  const int result = SSL_do_handshake(ssl_);
  if (result != 1) return would_wait(result), Progress::waits;
  state_ = State::idle;
  return Progress::opened;
}

void Connection::write() {
  while (!rest_.empty()) {
    const int sent = SSL_write(ssl_, rest_.data(), static_cast<int>(rest_.size()));
    if (sent <= 0) {
      would_wait(sent);
      return;
    }
    rest_.remove_prefix(static_cast<std::size_t>(sent));
  }
  state_ = State::receiving;
  answer_.clear();
}

Progress Connection::read() {
  char chunk[16384];
  while (!is_whole(answer_)) {
    const int got = SSL_read(ssl_, chunk, sizeof chunk);
    if (got <= 0) return would_wait(got), Progress::waits;
    answer_.append(chunk, static_cast<std::size_t>(got));
  }
  state_ = State::idle;
  return Progress::answered;
}

}  // namespace tpuwh::bench
