// Where the server's certificate comes from: files that are watched, itself, or its cluster.
#pragma once

#include "server/tls/reloader.hpp"

#include <optional>
#include <span>
#include <string>

namespace tpuwh::server::tls {

class Source {
 public:
  // Both throw std::runtime_error, as Reloader::load and issue do.
  static Source files(const std::string& certificate, const std::string& key, SystemTime now);
  static Source self_issued(std::span<const std::string> names, SystemTime now);

  // One that nobody trusts, for a server whose certificate `name` is still to be read.
  static Source awaited(std::string name, SystemTime now);

  // The first certificate.
  const ContextPtr& first() const { return first_; }

  // For a person: the file's path, or "self-issued".
  const std::string& name() const { return name_; }

  // The CA that callers must trust, PEM; empty unless the server issued it to itself.
  const std::string& ca() const { return ca_; }

  // What changed on disk, see Reloader::poll; never anything without files.
  std::optional<Reloader::Change> poll(SystemTime now);

 private:
  Source() = default;

  std::string name_;
  std::string ca_;
  ContextPtr first_;
  std::optional<Reloader> reloader_;
};

}  // namespace tpuwh::server::tls
