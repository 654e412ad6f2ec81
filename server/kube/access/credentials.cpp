#include "server/kube/access/credentials.hpp"

#include "base/edits.hpp"
#include "server/kube/access/access_limits.hpp"
#include "server/kube/access/errc.hpp"
#include "server/kube/access/small_file.hpp"
#include "server/text/base64.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tpuwh::server::kube::access {

namespace {

class Fixed final : public Credentials {
 public:
  explicit Fixed(std::string header) : header_(std::move(header)) {}
  Result<std::string> authorization(Time) override { return header_; }

 private:
  std::string header_;
};

}  // namespace

std::shared_ptr<Credentials> no_credentials() {
  return std::make_shared<Fixed>("");
}

std::shared_ptr<Credentials> bearer_token(std::string token) {
  return std::make_shared<Fixed>("Bearer " + std::move(token));
}

std::shared_ptr<Credentials> basic_credentials(std::string_view user, std::string_view password) {
  return std::make_shared<Fixed>("Basic " +
                                 text::encode_base64(fmt::format("{}:{}", user, password)));
}

bool is_token(std::string_view token) {
  return !token.empty() && std::ranges::all_of(token, [](char c) { return c > ' ' && c < '\x7f'; });
}

TokenFile::TokenFile(std::string path, std::string first)
    : path_(std::move(path)), token_(std::move(first)) {}

Result<std::string> TokenFile::authorization(Time now) {
  if (!read_at_ || now - *read_at_ >= token_age) {
    // The old one stays in use while the kubelet swaps the file: it is good for minutes more.
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
  const auto text = read_file(path_);
  if (!text) return text.error();
  const auto token = base::trimmed(*text);
  if (token.empty()) return Error(Errc::api_access, path_ + " is empty; expected a bearer token");
  if (!is_token(token))
    return Error(Errc::api_access,
                 path_ + " holds blanks or control characters; expected one bearer token");
  return std::string(token);
}

}  // namespace tpuwh::server::kube::access
