// One TLS connection of the load: a request at a time, never waiting.
#pragma once

#include <netinet/in.h>
#include <openssl/ssl.h>

#include <chrono>
#include <string>
#include <string_view>

namespace tpuwh::bench {

using Clock = std::chrono::steady_clock;

// What a connection has come to since it was last asked.
enum class Progress { waits, opened, answered };

// An address of 127.0.0.0/8 and a port, "127.0.0.1:8443". Throws std::runtime_error for all others.
sockaddr_in loopback_address(const std::string& text);

// Certificates are not checked. Throws std::runtime_error when the server refuses, closes, or
// answers with anything but 200.
class Connection {
 public:
  // Connects and begins the handshake. `epoll` tells of its socket, with a pointer to this as data.
  Connection(SSL_CTX* context, const sockaddr_in& address, int epoll);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // `request` outlives its answer. Its time counts from `due`.
  void send(std::string_view request, Clock::time_point due);

  // Goes on as far as the socket lets it.
  Progress advance();

  Clock::time_point due() const { return due_; }

 private:
  enum class State { handshake, idle, sending, receiving };

  bool would_wait(int result) const;
  Progress shake_hands();
  void write();
  Progress read();

  SSL* ssl_ = nullptr;
  int socket_ = -1;
  State state_ = State::handshake;
  std::string_view rest_;  // of the request, not yet sent
  std::string answer_;
  Clock::time_point due_;
};

}  // namespace tpuwh::bench
