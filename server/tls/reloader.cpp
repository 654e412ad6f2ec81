#include "server/tls/reloader.hpp"

#include <stdexcept>
#include <utility>

namespace tpuwh::server::tls {
namespace {

Pair read_pair(const std::string& certificate_path, const std::string& key_path) {
  Pair pair;
  pair.certificates = read_file(certificate_path);
  pair.key = read_file(key_path);
  return pair;
}

}  // namespace

Reloader::Reloader(std::string certificate_path, std::string key_path)
    : certificate_path_(std::move(certificate_path)), key_path_(std::move(key_path)) {}

std::optional<Reloader::Change> Reloader::poll(SystemTime now) {
  const bool first = !std::exchange(polled_, true);
  const auto latest = stamps();
  if (!first && latest == seen_ && reported_.empty()) return std::nullopt;
  try {
    if (!first) {
      require_file(certificate_path_);
      require_file(key_path_);
    }
    auto pair = read_pair(certificate_path_, key_path_);
    Change change;
    if (pair != loaded_) change.context = make_context(pair, now);
    // `latest` (inodes, sizes and times) was read before the contents of the files. If a file was
    // changed between these two reads, the next call of poll() notices the change.
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

}  // namespace tpuwh::server::tls
