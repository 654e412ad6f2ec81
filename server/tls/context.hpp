// The server's TLS settings and the certificate in use.
#pragma once

#include <boost/asio/ssl/context.hpp>

#include <chrono>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

namespace tpuwh::server::tls {

using SystemTime = std::chrono::system_clock::time_point;

// "2026-01-05T10:00:00Z"
std::string to_text(SystemTime time);

// PEM text: the leaf first, then what leads to the root; and the leaf's key.
struct Pair {
  std::string certificates;
  std::string key;

  bool operator==(const Pair&) const = default;
};

// The TLS settings with a certificate and its key, ready for use. A Context never changes.
// Connections share a Context, and keep it even if CurrentContext is later set to another one.
struct Context {
  boost::asio::ssl::context ssl;
  SystemTime not_before, not_after;  // dates of the leaf certificate; zero if there is none
};
using ContextPtr = std::shared_ptr<Context>;

// Settings and why: TLS 1.2 or later with ECDHE and AEAD only, at OpenSSL's security level 2; no
// tickets and no session cache, since the API server never resumes (docs/facts.md#no-resumption)
// and a ticket costs 70 us; no renegotiation, no compression, no early data (a review may be
// replayed); of ALPN only http/1.1. All of them are set here: the program reads no configuration
// of OpenSSL's, neither what OPENSSL_CONF names nor the system's (docs/decisions/0006).
//
// Throws std::runtime_error with a sentence if a PEM text cannot be read, the key
// does not belong to the leaf, `now` is outside the leaf's dates, or no API server could
// connect with it (server/tls/usable.hpp).
ContextPtr make_context(const Pair& pair, SystemTime now);

// Returns a context without a certificate. Each handshake with this context fails.
ContextPtr make_empty_context();

// The context for the next connection. Thread safe.
class CurrentContext {
 public:
  explicit CurrentContext(ContextPtr context) : context_(std::move(context)) {}

  ContextPtr get() const {
    const std::lock_guard lock(mutex_);
    return context_;
  }
  void set(ContextPtr context) {
    const std::lock_guard lock(mutex_);
    context_.swap(context);
  }

 private:
  mutable std::mutex mutex_;
  ContextPtr context_;
};

}  // namespace tpuwh::server::tls
