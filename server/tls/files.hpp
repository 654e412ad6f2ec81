// Files of PEM text, which somebody else replaces.
#pragma once

#include <sys/types.h>

#include <ctime>
#include <string>

namespace tpuwh::server::tls {

// At the start a pipe will do (`--tls-cert <(…)`), and whoever writes to it is waited for.
//   throws  std::runtime_error with the path and why: it cannot be opened, or is empty
std::string read_file(const std::string& path);

// An event loop must not wait for who writes to a pipe.
//   throws  std::runtime_error where it is one by now
void require_file(const std::string& path);

// What tells a file from its successor without reading it.
struct Stamp {
  dev_t device = 0;
  ino_t inode = 0;
  off_t size = -1;
  std::time_t seconds = 0;
  long nanoseconds = 0;

  bool operator==(const Stamp&) const = default;
};
Stamp stamp(const std::string& path);

}  // namespace tpuwh::server::tls
