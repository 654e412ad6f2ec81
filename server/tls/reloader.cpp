#include "server/tls/reloader.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <system_error>
#include <utility>

namespace tpuwh::server::tls {
namespace {

// A chain is a few KiB; whatever is larger is not one.
constexpr std::size_t most_file_bytes = 1u << 20;

// At the start a pipe will do (`--tls-cert <(…)`), and whoever writes to it is waited for.
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

// An event loop must not wait for who writes to a pipe.
void require_file(const std::string& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode))
    throw std::runtime_error(fmt::format("cannot read {}: it is no longer a file", path));
}

Pair read_pair(const std::string& certificate_path, const std::string& key_path) {
  Pair pair;
  pair.certificates = read_file(certificate_path);
  pair.key = read_file(key_path);
  return pair;
}

}  // namespace

Reloader::Reloader(std::string certificate_path, std::string key_path)
    : certificate_path_(std::move(certificate_path)), key_path_(std::move(key_path)) {}

ContextPtr Reloader::load(SystemTime now) {
  seen_ = stamps();
  auto pair = read_pair(certificate_path_, key_path_);
  auto context = make_context(pair, now);
  loaded_ = std::move(pair);
  return context;
}

std::optional<Reloader::Change> Reloader::poll(SystemTime now) {
  const auto latest = stamps();
  if (latest == seen_ && reported_.empty()) return std::nullopt;
  try {
    require_file(certificate_path_);
    require_file(key_path_);
    auto pair = read_pair(certificate_path_, key_path_);
    Change change;
    if (pair != loaded_) change.context = make_context(pair, now);
    // Stamps from before the reading: what changed meanwhile is seen next time.
    seen_ = latest;
    reported_.clear();
    if (change.context == nullptr) return std::nullopt;
    loaded_ = std::move(pair);
    return change;
  } catch (const std::runtime_error& failure) {
    if (failure.what() == reported_) return std::nullopt;
    reported_ = failure.what();
    return Change{.context = nullptr, .error = reported_};
  }
}

Reloader::Stamp Reloader::stamp(const std::string& path) {
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
