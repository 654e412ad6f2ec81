// Reads a certificate and its key, and reads them again when the files change. The files are
// polled, since a mounted Secret changes by a symbolic link two levels up, which file notifications
// miss.
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

  // The result of a look at the files: a context to use from now on, or why the files cannot be
  // used; then the context in use stays.
  struct Change {
    ContextPtr context;
    std::string error;
  };

  // Returns nothing if nothing is new: the same files, the same bytes, or the same error as last
  // time. The first call always returns a change. A pair that could not be used is tried again with
  // every call: its files may not exist yet, or its first day may not have come.
  std::optional<Change> poll(SystemTime now);

 private:
  std::array<Stamp, 2> stamps() const { return {stamp(certificate_path_), stamp(key_path_)}; }

  std::string certificate_path_;
  std::string key_path_;
  bool polled_ = false;
  std::array<Stamp, 2> seen_;
  Pair loaded_;
  std::string reported_;
};

}  // namespace tpuwh::server::tls
