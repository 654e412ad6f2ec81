#include "kubectl/plugins/exec_credential.hpp"

#include "base/names.hpp"
#include "kubectl/text/rfc3339.hpp"
#include "server/kube/access/errc.hpp"
#include "server/kube/access/small_file.hpp"
#include "server/text/json_text.hpp"

#include <fmt/format.h>

namespace tpuwh::server::plugins {

namespace {

Error wrong(std::string what) {
  return Error(kube::access::Errc::api_access, std::move(what));
}

Result<ExecCredential> read_status(const Json& status) {
  ExecCredential out;
  out.token = text::text_member(status, "token");
  out.certificate = {text::text_member(status, "clientCertificateData"),
                     text::text_member(status, "clientKeyData")};
  if (out.certificate.certificate.empty() != out.certificate.key.empty())
    return wrong(
        "printed a status with one of clientCertificateData and clientKeyData; expected both");
  if (out.token.empty() && out.certificate.empty())
    return wrong("printed a status without token and clientCertificateData; expected one of them");
  if (!out.token.empty() && !kube::access::is_token(out.token))
    return wrong("printed a status.token with blanks or control characters");
  using kube::access::holds_pem;
  if (!out.certificate.empty() && (!holds_pem(out.certificate.certificate, "CERTIFICATE") ||
                                   !holds_pem(out.certificate.key, "PRIVATE KEY")))
    return wrong("printed a client certificate or key that is not PEM");
  const Json& expires = text::member(status, "expirationTimestamp");
  if (expires.is_null()) return out;
  out.expires = text::parse_time(text::text_member(status, "expirationTimestamp"));
  if (!out.expires)
    return wrong(
        fmt::format("printed the expirationTimestamp {}; expected RFC 3339, 2026-01-31T10:00:00Z",
                    base::printable(text::dump_ascii(expires))));
  return out;
}

}  // namespace

std::string exec_info(std::string_view api_version, const Json& cluster) {
  Json info = {{"apiVersion", api_version}, {"kind", "ExecCredential"}};
  info["spec"] = Json::object();
  if (!cluster.is_null()) info["spec"]["cluster"] = cluster;
  info["spec"]["interactive"] = false;
  return text::dump_json(info);
}

Result<ExecCredential> parse_exec_credential(std::string_view printed,
                                             std::string_view api_version) {
  if (const auto fault = text::json_fault(printed))
    return wrong(fmt::format("printed {} bytes that are not JSON ({}); expected an ExecCredential",
                             printed.size(), fault->message()));
  const Json object = text::parse_or_discard(printed);
  const std::string kind = text::text_member(object, "kind");
  const std::string version = text::text_member(object, "apiVersion");
  if (kind != "ExecCredential")
    return wrong(fmt::format("printed an object of kind \"{}\"; expected ExecCredential",
                             base::printable(kind)));
  if (version != api_version)
    return wrong(
        fmt::format("printed apiVersion \"{}\", but the kubeconfig asks for {}; change "
                    "the kubeconfig's or the plugin's",
                    base::printable(version), api_version));
  const Json& status = text::member(object, "status");
  if (!status.is_object())
    return wrong("printed an ExecCredential without a status; expected one with a token");
  return read_status(status);
}

}  // namespace tpuwh::server::plugins
