// Files that say how to reach an API server: read whole, by path, every time.
#pragma once

#include "base/result.hpp"
#include "server/kube/access/errc.hpp"

#include <string>
#include <string_view>

namespace tpuwh::server::kube::access {

// The whole of a file. It is opened and closed again: a mounted Secret or token is a link
// that the kubelet swaps, and an open descriptor would stay with the old one.
//
//   errors  Errc::api_access, a sentence "cannot read PATH: No such file or
//   directory",
//           "PATH is larger than ..."
Result<std::string> read_file(const std::string& path);

// The same of a file that holds PEM blocks called `label` ("CERTIFICATE", "PRIVATE KEY").
Result<std::string> read_pem_file(const std::string& path, std::string_view label);

// Whether there is a block "-----BEGIN ...LABEL-----" in the text.
bool holds_pem(std::string_view text, std::string_view label);

}  // namespace tpuwh::server::kube::access
