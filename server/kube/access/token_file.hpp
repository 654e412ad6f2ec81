// The bearer token of a Pod's service account.
#pragma once

#include "base/result.hpp"
#include "server/kube/access/errc.hpp"

#include <chrono>
#include <optional>
#include <string>

namespace tpuwh::server::kube::access {

// Reads a file that an API server or its mount should have made, without the blanks at its ends.
//
//   errors  Errc::api_access: "cannot read PATH: No such file or directory"
Result<std::string> read_account_file(const std::string& path);

// A token that the kubelet renews in a file. Not thread safe.
//
// The file is opened by its path again if the value is 50 s old, because the kubelet swaps a link.
// While the file cannot be read or holds no token, the old token stays in use. After rejected()
// there is no old token.
//   source  client-go transport/token_source.go; docs/facts.md#service-account
class TokenFile {
 public:
  using Time = std::chrono::steady_clock::time_point;

  // `path` is empty if requests carry no token.
  explicit TokenFile(std::string path) : path_(std::move(path)) {}

  // Returns the value of the Authorization header, "" without a path. Costs a copy, and every 50 s
  // the reading of a small file.
  Result<std::string> authorization(Time now);

  // Forgets the token, because the API server answered 401.
  void rejected();

 private:
  Result<std::string> read() const;

  std::string path_;
  std::string token_;
  std::optional<Time> read_at_;
};

}  // namespace tpuwh::server::kube::access
