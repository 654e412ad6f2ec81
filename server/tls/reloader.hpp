// Reads a certificate and its key, and reads them again when the files change. The files are
// polled, because a mounted Secret is replaced by changing a symbolic link two directory levels up,
// and file notifications do not report such a change.
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

  // The result of reading the files: either a context to use from now on, or an error if the files
  // cannot be used. After an error the previous context stays in use.
  struct Change {
    ContextPtr context;
    std::string error;
  };

  // Reads the files if they may have changed. Returns nullopt if the bytes of the files and the
  // error are the same as before. The first call always returns a change. Files that could not be
  // used are read again by each call, because a missing file can appear, and a certificate can
  // become valid later.
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
