#include "server/doctor/check.hpp"
#include "server/live/installation.hpp"
#include "server/text/base64.hpp"
#include "server/text/json_text.hpp"
#include "server/tls/certificates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace tpuwh::server::doctor {

namespace {

// Time for a person to renew what nothing renews.
constexpr std::chrono::hours renewal(24 * 30);

constexpr auto renew =
    "renew it: if the chart issued it, delete the Secret and run helm upgrade; else ask its issuer "
    "(cert-manager)";

std::string bundle_of(const Json& webhook) {
  return text::text_member(text::member(webhook, "clientConfig"), "caBundle");
}

// A line about dates; the verdict by the last of them for a CA bundle, which may hold an old
// one beside its successor, and by the first in a chain.
void check_dates(const std::string& check, const std::string& what,
                 const tls::CertificateDates& certificate, const View& view, Checks& out) {
  const std::string end = tls::to_text(certificate.not_after);
  const std::string named = fmt::format("{} ({})", what, certificate.subject);
  if (view.now < certificate.not_before)
    fail(out, check,
         fmt::format("{} is not valid before {}", named, tls::to_text(certificate.not_before)),
         "check whether the clocks of its issuer and of the API server agree");
  else if (view.now >= certificate.not_after)
    fail(out, check, fmt::format("{} expired at {}", named, end), renew);
  else if (view.now + renewal >= certificate.not_after)
    warn(out, check, fmt::format("{} expires at {}", named, end), renew);
  else
    ok(out, check, fmt::format("{} is valid until {}", named, end));
}

// The bundle as PEM; "" after a line that says what is wrong with it.
std::string check_bundle(const View& view, Checks& out) {
  constexpr auto check = "ca-bundle";
  std::set<std::string> bundles;
  for (const Json& webhook : text::member(view.configuration.object, "webhooks"))
    bundles.insert(bundle_of(webhook));
  if (bundles.size() > 1)
    warn(out, check, "the webhooks of the configuration have different caBundles",
         "helm upgrade with the chart's values");
  const std::string first = bundles.empty() ? "" : *bundles.rbegin();
  const auto pem = text::decode_base64(first);
  const auto certificates = pem ? tls::read_certificates(*pem)
                                : Result<std::vector<tls::CertificateDates>>(
                                      Error(Errc::bad_value, "it is not valid base64"));
  if (!certificates) {
    fail(out, check,
         fmt::format("the caBundle of the MutatingWebhookConfiguration cannot be used: {}",
                     certificates.error().message()),
         "helm upgrade with certificate.caBundle, or without certificate.secretName");
    return {};
  }
  check_dates(check, "the CA that the API server trusts",
              *std::ranges::max_element(*certificates, {}, &tls::CertificateDates::not_after), view,
              out);
  return *pem;
}

}  // namespace

void check_certificate(const View& view, Checks& out) {
  constexpr auto check = "certificate";
  const std::string bundle = view.configuration.there() ? check_bundle(view, out) : "";
  const std::string mounted = certificate_secret(view.deployment.object);
  if (view.secret.found == Found::absent)
    return fail(out, check,
                mounted.empty()
                    ? "the Deployment mounts no Secret with a certificate"
                    : fmt::format("Secret {}/{}, which the Deployment mounts, does not exist",
                                  view.ns, mounted),
                "helm upgrade with the chart's values, or issue the certificate");
  if (!view.secret.there()) return unknown(out, check, view.secret.why);
  const std::string secret = fmt::format("tls.crt of Secret {}/{}", view.ns, mounted);
  const auto pem =
      text::decode_base64(text::text_member(text::member(view.secret.object, "data"), "tls.crt"));
  const auto chain = pem ? tls::read_certificates(*pem)
                         : Result<std::vector<tls::CertificateDates>>(
                               Error(Errc::bad_value, "it is not valid base64"));
  if (!chain)
    return fail(out, check, fmt::format("{}: {}", secret, chain.error().message()), renew);
  check_dates(check, secret, chain->front(), view, out);
  if (bundle.empty()) return;
  const std::string host = fmt::format("{}.{}.svc", live::installed_name, view.ns);
  const auto trusted = tls::verify_chain(*pem, bundle, host, view.now);
  if (trusted) return ok(out, "trust", fmt::format("the API server trusts it for {}", host));
  fail(out, "trust",
       fmt::format("the API server does not trust {} for {}: {}", secret, host,
                   trusted.error().message()),
       "set the caBundle to the CA that signed it: helm upgrade with certificate.caBundle; where "
       "the chart issues it, helm upgrade");
}

}  // namespace tpuwh::server::doctor
