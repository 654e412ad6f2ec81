#include "server/kube/access/exec_credential.hpp"

#include "server/kube/access/small_file.hpp"
#include "server/text/json_text.hpp"
#include "webhook/text/names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace tpuwh::server::kube::access {

namespace {

using Json = nlohmann::ordered_json;

Error wrong(std::string what) {
  return Error(Errc::api_access, std::move(what));
}

// Exactly `digits` digits at the front, taken off.
std::optional<int> take_number(std::string_view& text, std::size_t digits) {
  int number = 0;
  const char* end = text.data() + std::min(digits, text.size());
  const auto [at, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || text.size() < digits || at != end || text.front() == '-')
    return std::nullopt;
  text.remove_prefix(digits);
  return number;
}

bool take(std::string_view& text, char c) {
  if (text.empty() || text.front() != c) return false;
  text.remove_prefix(1);
  return true;
}

// "Z" or "+01:30" to the end of the text.
std::optional<std::chrono::minutes> take_offset(std::string_view text) {
  if (text == "Z" || text == "z") return std::chrono::minutes(0);
  const bool west = text.starts_with('-');
  if (!take(text, '+') && !take(text, '-')) return std::nullopt;
  const auto hours = take_number(text, 2);
  if (!hours || !take(text, ':')) return std::nullopt;
  const auto minutes = take_number(text, 2);
  if (!minutes || !text.empty()) return std::nullopt;
  return std::chrono::minutes((west ? -1 : 1) * (*hours * 60 + *minutes));
}

Result<ExecCredential> read_status(const Json& status) {
  ExecCredential out;
  out.token = text::text_member(status, "token");
  out.certificate = {text::text_member(status, "clientCertificateData"),
                     text::text_member(status, "clientKeyData")};
  if (out.certificate.certificate.empty() != out.certificate.key.empty())
    return wrong("printed a status with one of clientCertificateData and clientKeyData; want both");
  if (out.token.empty() && out.certificate.empty())
    return wrong("printed a status without token and clientCertificateData; want one of them");
  if (!out.token.empty() && !is_token(out.token))
    return wrong("printed a status.token with blanks or control characters");
  if (!out.certificate.empty() && (!holds_pem(out.certificate.certificate, "CERTIFICATE") ||
                                   !holds_pem(out.certificate.key, "PRIVATE KEY")))
    return wrong("printed a client certificate or key that is not PEM");
  const Json& expires = text::member(status, "expirationTimestamp");
  if (expires.is_null()) return out;
  out.expires = parse_time(text::text_member(status, "expirationTimestamp"));
  if (!out.expires)
    return wrong(
        fmt::format("printed the expirationTimestamp {}; want RFC 3339, "
                    "2026-01-31T10:00:00Z",
                    webhook::text::printable(text::dump_ascii(expires))));
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
    return wrong(fmt::format("printed {} bytes that are not JSON ({}); want an ExecCredential",
                             printed.size(), fault->message()));
  const Json object = text::parse_or_discard(printed);
  const std::string kind = text::text_member(object, "kind");
  const std::string version = text::text_member(object, "apiVersion");
  if (kind != "ExecCredential")
    return wrong(fmt::format("printed an object of kind \"{}\"; want ExecCredential",
                             webhook::text::printable(kind)));
  if (version != api_version)
    return wrong(
        fmt::format("printed apiVersion \"{}\", but the kubeconfig asks for {}; change "
                    "the kubeconfig's or the plugin's",
                    webhook::text::printable(version), api_version));
  const Json& status = text::member(object, "status");
  if (!status.is_object())
    return wrong("printed an ExecCredential without a status; want one with a token");
  return read_status(status);
}

std::optional<std::chrono::system_clock::time_point> parse_time(std::string_view text) {
  using namespace std::chrono;
  const auto y = take_number(text, 4);
  if (!y || !take(text, '-')) return std::nullopt;
  const auto m = take_number(text, 2);
  if (!m || !take(text, '-')) return std::nullopt;
  const auto d = take_number(text, 2);
  if (!d || (!take(text, 'T') && !take(text, 't'))) return std::nullopt;
  const auto hour = take_number(text, 2);
  if (!hour || !take(text, ':')) return std::nullopt;
  const auto minute = take_number(text, 2);
  if (!minute || !take(text, ':')) return std::nullopt;
  const auto second = take_number(text, 2);
  if (!second) return std::nullopt;
  if (take(text, '.'))
    text.remove_prefix(std::min(text.find_first_not_of("0123456789"), text.size()));
  const auto offset = take_offset(text);
  const year_month_day date(year(*y), month(static_cast<unsigned>(*m)),
                            day(static_cast<unsigned>(*d)));
  if (!offset || !date.ok() || *hour > 23 || *minute > 59 || *second > 60) return std::nullopt;
  const sys_seconds moment =
      sys_days(date) + hours(*hour) + minutes(*minute) + seconds(*second) - *offset;
  // The clock's nanoseconds end in 2262 and begin in 1677. What lies beyond is as far as can be
  // said: 9999-12-31, which some print for "never", was a moment of 1816.
  using Clock = system_clock;
  constexpr auto first = ceil<seconds>(Clock::time_point::min());
  constexpr auto last = floor<seconds>(Clock::time_point::max());
  return Clock::time_point(std::clamp(moment, first, last));
}

}  // namespace tpuwh::server::kube::access
