#include "server/tls/source.hpp"

#include "server/tls/issuing.hpp"

#include <array>
#include <utility>

namespace tpuwh::server::tls {

Source Source::files(const std::string& certificate, const std::string& key, SystemTime now) {
  Source source;
  source.name_ = certificate;
  source.reloader_.emplace(certificate, key);
  source.first_ = source.reloader_->load(now);
  return source;
}

Source Source::self_issued(std::span<const std::string> names, SystemTime now) {
  const auto issued = issue(names, now);
  Source source;
  source.name_ = "self-issued";
  source.ca_ = issued.ca;
  source.first_ = make_context(issued.pair, now);
  return source;
}

Source Source::awaited(std::string name, SystemTime now) {
  const std::array<std::string, 1> nobody = {"not-issued-yet.invalid"};
  Source source;
  source.name_ = std::move(name);
  source.first_ = make_context(issue(nobody, now).pair, now);
  return source;
}

std::optional<Reloader::Change> Source::poll(SystemTime now) {
  if (!reloader_) return std::nullopt;
  return reloader_->poll(now);
}

}  // namespace tpuwh::server::tls
