// One hostile connection to the server on the loopback: TLS, never blocking.
//
// What it sends is encrypted into memory first and goes out as the socket takes it; so a flood
// can be made before it is let loose, and the attacker never waits where it should press.
#pragma once

#include <openssl/ssl.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace attacker {

// The host is always 127.0.0.1: this program cannot be pointed at anything else.
struct Target {
  std::uint16_t port = 0;
  std::string bind = "127.0.0.1";  // source address, of 127.0.0.0/8
  bool small_window = false;       // the kernel holds hardly anything for us that we do not read
};

class Peer {
 public:
  enum class State { opening, open, closed };

  Peer(SSL_CTX* context, const Target& target);
  ~Peer();
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;

  State state() const { return state_; }
  int descriptor() const { return descriptor_; }
  SSL* ssl() { return ssl_.get(); }

  // Goes on with the connection and the handshake; to be called while opening.
  void open();

  // Encrypts.
  void send(std::string_view plain);

  // Encrypted bytes that the socket has not taken yet.
  std::size_t unsent() const;

  // Gives the socket what it takes.
  void flush();

  // Throws away what has come, in the kernel, without a copy and without decrypting it: how many
  // bytes it was. After it receive() no longer works.
  std::size_t discard();

  // Appends what has come, decrypted.
  void receive(std::string& text);

  void close();

 private:
  struct Free {
    void operator()(SSL* ssl) const { SSL_free(ssl); }
  };

  int descriptor_ = -1;
  State state_ = State::opening;
  std::unique_ptr<SSL, Free> ssl_;
  BIO* encrypted_ = nullptr;  // the SSL's
  std::string out_;           // taken from it, and not sent from out_begin_ on
  std::size_t out_begin_ = 0;
};

}  // namespace attacker
