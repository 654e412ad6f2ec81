#include "server/kube/access/token_file.hpp"

#include "base/edits.hpp"
#include "server/text/read_file.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tpuwh::server::kube::access {

// The age at which a token is read from its file again. client-go uses the same age: 60 s, less 10
// s of leeway. The kubelet writes a new token after 80 % of the life of the old token, so the old
// token is still valid for minutes.
constexpr std::chrono::seconds token_age{50};

Result<std::string> read_account_file(const std::string& path) {
  const auto text = text::read_file(path, text::max_small_bytes);
  if (text) return std::string(base::trimmed(*text));
  return Error(Errc::api_access, fmt::format("cannot read {}: {}", path, text.error().message()));
}

Result<std::string> TokenFile::authorization(Time now) {
  if (path_.empty()) return std::string();
  if (!read_at_ || now - *read_at_ >= token_age) {
    auto fresh = read();
    if (!fresh && token_.empty()) return fresh.error();
    if (fresh) {
      token_ = std::move(*fresh);
      read_at_ = now;
    }
  }
  return "Bearer " + token_;
}

void TokenFile::rejected() {
  token_.clear();
  read_at_.reset();
}

Result<std::string> TokenFile::read() const {
  auto token = read_account_file(path_);
  if (!token) return token;
  if (token->empty()) return Error(Errc::api_access, path_ + " is empty; expected a bearer token");
  if (!std::ranges::all_of(*token, [](char c) { return c > ' ' && c < '\x7f'; }))
    return Error(Errc::api_access,
                 path_ + " holds blanks or control characters; expected one bearer token");
  return token;
}

}  // namespace tpuwh::server::kube::access
