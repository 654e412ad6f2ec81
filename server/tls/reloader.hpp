// Watches a certificate and its key on disk. Polled, since a mounted Secret changes
// by a symbolic link two levels up, which file notifications miss.
#pragma once

#include "server/tls/context.hpp"
#include "server/tls/files.hpp"

#include <array>
#include <optional>
#include <string>

namespace tpuwh::server::tls {

class Reloader {
 public:
  Reloader(std::string certificate_path, std::string key_path);

  // The pair as it is on disk now. Throws std::runtime_error as make_context does,
  // or with the path of a file that cannot be read.
  ContextPtr load(SystemTime now);

  // What a look at the files found: a context to use from now on, or why what is
  // there cannot be used (keep the old one).
  struct Change {
    ContextPtr context;
    std::string error;
  };

  // Nothing if nothing is new: the same files, the same bytes, or the same error
  // as last time. A pair that could not be used is tried again with every call: its
  // other half may be on the way, its first day may come.
  std::optional<Change> poll(SystemTime now);

 private:
  std::array<Stamp, 2> stamps() const { return {stamp(certificate_path_), stamp(key_path_)}; }

  std::string certificate_path_;
  std::string key_path_;
  std::array<Stamp, 2> seen_;
  Pair loaded_;
  std::string reported_;
};

}  // namespace tpuwh::server::tls
