#include "server/tls/files.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <stdexcept>

namespace tpuwh::server::tls {
namespace {

// A chain is a few KiB; whatever is larger is not one.
constexpr std::size_t most_file_bytes = 1u << 20;

}  // namespace

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text(most_file_bytes, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  if (text.empty()) {
    const char* why = file.is_open() ? "it is empty" : std::strerror(errno);
    throw std::runtime_error(fmt::format("cannot read {}: {}", path, why));
  }
  return text;
}

void require_file(const std::string& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode))
    throw std::runtime_error(fmt::format("cannot read {}: it is no longer a file", path));
}

Stamp stamp(const std::string& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) return {};
  // Of a pipe the rest changes with every byte, and it cannot be read again.
  if (!S_ISREG(info.st_mode)) return {.device = info.st_dev, .inode = info.st_ino};
  return {.device = info.st_dev,
          .inode = info.st_ino,
          .size = info.st_size,
          .seconds = info.st_mtim.tv_sec,
          .nanoseconds = info.st_mtim.tv_nsec};
}

}  // namespace tpuwh::server::tls
