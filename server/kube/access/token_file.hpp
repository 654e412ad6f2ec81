// The bearer token of a Pod's service account.
#pragma once

#include "base/result.hpp"
#include "server/kube/access/errc.hpp"

#include <chrono>
#include <optional>
#include <string>

namespace tpuwh::server::kube::access {

// Returns the content of a file of the mounted service account, without blanks at its beginning and
// end.
//
//   errors  Errc::api_access: "cannot read PATH: No such file or directory"
Result<std::string> read_account_file(const std::string& path);

// A bearer token in a file that the kubelet renews. The class is not thread safe.
//
// authorization() reads the file again if the token in memory is at least 50 s old. For each read,
// the file is opened by its path, because the kubelet replaces a symbolic link in that path. While
// the file cannot be read or holds no token, the old token stays in use, unless rejected() has
// discarded it.
//   source  client-go transport/token_source.go; docs/facts.md#service-account
class TokenFile {
 public:
  using Time = std::chrono::steady_clock::time_point;

  // `path` is empty if requests carry no token.
  explicit TokenFile(std::string path) : path_(std::move(path)) {}

  // Returns the value of the Authorization header, or "" if the path is empty. Each call copies the
  // token, but the file is read only if the last successful read was at least 50 s ago.
  Result<std::string> authorization(Time now);

  // Discards the token. Call this function if the API server has answered 401.
  void rejected();

 private:
  Result<std::string> read() const;

  std::string path_;
  std::string token_;
  std::optional<Time> read_at_;
};

}  // namespace tpuwh::server::kube::access
