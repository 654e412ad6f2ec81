#include "server/kube/access/small_file.hpp"

#include "base/result.hpp"
#include "server/kube/access/access_limits.hpp"
#include "server/kube/access/errc.hpp"
#include "server/text/read_file.hpp"

#include <fmt/format.h>

namespace tpuwh::server::kube::access {

Result<std::string> read_file(const std::string& path) {
  auto text = text::read_file(path, file_bytes);
  if (text) return text;
  if (text.error().code() == base::Errc::too_large)
    return Error(Errc::api_access, fmt::format("{} is larger than {} bytes", path, file_bytes));
  return Error(Errc::api_access, fmt::format("cannot read {}: {}", path, text.error().message()));
}

Result<std::string> read_pem_file(const std::string& path, std::string_view label) {
  auto text = read_file(path);
  if (text && !holds_pem(*text, label))
    return Error(Errc::api_access,
                 fmt::format("{} has no PEM block; expected -----BEGIN {}-----", path, label));
  return text;
}

bool holds_pem(std::string_view text, std::string_view label) {
  // "RSA PRIVATE KEY" and "EC PRIVATE KEY" are private keys too.
  const auto end = text.find(fmt::format("{}-----", label));
  return end != std::string_view::npos && text.rfind("-----BEGIN ", end) != std::string_view::npos;
}

}  // namespace tpuwh::server::kube::access
