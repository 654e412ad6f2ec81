// Who may call, where that is asked: an API server that shows a certificate.
#pragma once

#include "server/tls/files.hpp"

#include <openssl/ssl.h>

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace tpuwh::server::tls {

// Holders of a certificate that one of the CAs of a file has signed, for a client and for one of
// the names: its common name or a DNS name of it. Thread safe.
class Clients {
 public:
  // Throws std::runtime_error with a sentence where the file cannot be read, or holds no
  // certificate.
  Clients(std::string ca_path, std::vector<std::string> names);
  ~Clients();
  Clients(const Clients&) = delete;
  Clients& operator=(const Clients&) = delete;

  // From now on connections of `context` ask for a certificate, and none is made without a good
  // one. The Clients must outlive it.
  void guard(SSL_CTX* context);

  // What a look at the file found: the new CAs count from the next handshake on, or why they
  // cannot be used (the old ones are kept). Nothing where nothing is new.
  struct Change {
    std::string error;
  };
  std::optional<Change> poll();

 private:
  struct Roots;
  static int verify(X509_STORE_CTX* context, void* clients);
  bool may_call(X509_STORE_CTX* context) const;
  std::shared_ptr<const Roots> roots() const;

  const std::string ca_path_;
  const std::vector<std::string> names_;
  mutable std::mutex mutex_;
  Stamp seen_;  // before what is read: a change meanwhile is seen next time
  std::shared_ptr<const Roots> roots_;
  std::string reported_;
};

// Whether a certificate has one of the names, letter by letter: as its only common name, or among
// its DNS names.
bool has_name(const X509* certificate, const std::vector<std::string>& names);

}  // namespace tpuwh::server::tls
