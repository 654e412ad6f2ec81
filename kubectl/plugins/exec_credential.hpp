// What an exec plugin is told and what it answers: an ExecCredential.
//
//   format  https://kubernetes.io/docs/reference/config-api/client-authentication.v1/
#pragma once

#include "base/result.hpp"
#include "server/kube/access/credentials.hpp"
#include "server/text/json_text.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace tpuwh::server::plugins {

// The value of KUBERNETES_EXEC_INFO. `cluster` null: not asked for.
std::string exec_info(std::string_view api_version, const Json& cluster);

struct ExecCredential {
  std::string token;  // "" where there is a certificate alone
  kube::access::ClientCertificate certificate;
  std::optional<std::chrono::system_clock::time_point> expires;
};

// What a plugin printed.
//
//   errors  kube::access::Errc::api_access: "printed no JSON...", "...has no status"; begins with a
//   verb,
//           for the plugin's name to stand before it. Never quotes what was printed.
Result<ExecCredential> parse_exec_credential(std::string_view printed,
                                             std::string_view api_version);

}  // namespace tpuwh::server::plugins
