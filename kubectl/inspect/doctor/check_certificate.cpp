#include "base/result.hpp"
#include "kubectl/inspect/doctor/check.hpp"
#include "kubectl/inspect/doctor/commands.hpp"
#include "kubectl/inspect/doctor/entries.hpp"
#include "kubectl/inspect/running/installation.hpp"
#include "kubectl/print/shell_command.hpp"
#include "kubectl/text/base64.hpp"
#include "kubectl/x509/certificates.hpp"
#include "kubectl/x509/trust.hpp"
#include "server/text/json_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

namespace tpuwh::server::doctor {

namespace {

// Time for a person to renew what nothing renews. A certificate of a short life is renewed by a
// program, which has had its chance when a quarter is left.
constexpr std::chrono::hours renewal(24 * 30);

tls::SystemTime::duration warned_before(const x509::CertificateDates& certificate) {
  // Quarters, since the whole may be more than the clock can count.
  const tls::SystemTime::duration quarter =
      certificate.not_after.time_since_epoch() / 4 - certificate.not_before.time_since_epoch() / 4;
  return std::min<tls::SystemTime::duration>(renewal, quarter);
}

std::string how_to_renew(const View& view) {
  if (view.is_kept)
    return "find the reason in the log of Deployment tpu-webhook-keeper, which should have issued "
           "or renewed this certificate: " +
           log_of_the_keeper(view);
  return "renew it: ask its issuer (cert-manager)";
}

// A line about dates; the verdict by the last of them for a CA bundle, which may hold an old
// one beside its successor, and by the first in a chain.
void check_dates(ids::DoctorCheck check, const std::string& what,
                 const x509::CertificateDates& certificate, const View& view, Checks& out) {
  const std::string end = tls::to_text(certificate.not_after);
  const std::string named = fmt::format("{} ({})", what, certificate.subject);
  if (view.now < certificate.not_before)
    fail(out, check,
         fmt::format("{} is not valid before {}", named, tls::to_text(certificate.not_before)),
         "check whether the clocks of its issuer and of the API server agree");
  else if (view.now >= certificate.not_after)
    fail(out, check, fmt::format("{} expired at {}", named, end), how_to_renew(view));
  else if (view.now + warned_before(certificate) >= certificate.not_after)
    warn(out, check, fmt::format("{} expires at {}", named, end), how_to_renew(view));
  else
    ok(out, check, fmt::format("{} is valid until {}", named, end));
}

Result<std::vector<x509::CertificateDates>> certificates_of(const std::string& base64) {
  const auto pem = text::decode_base64(base64);
  if (!pem) return bad_value("it is not valid base64");
  return x509::read_certificates(*pem);
}

// What entries trust, each bundle with the names of its entries. An entry may have an older one:
// whoever wrote the others did not write it.
using Bundles = std::map<std::string, std::vector<std::string>>;

Bundles bundles_of(const View& view) {
  Bundles bundles;
  for (const Json& entry : entries_of(view.configuration.object))
    bundles[bundle_of(entry)].push_back(name_of(entry));
  return bundles;
}

// The name of an entry where not all have the same bundle.
std::string of_entries(const Bundles& bundles, const std::vector<std::string>& names) {
  return bundles.size() > 1 ? fmt::format(" of {}", fmt::join(names, ", ")) : std::string();
}

// Takes out of `bundles` what cannot be used, after a line that says what is wrong with it.
void check_bundles(const View& view, Bundles& bundles, Checks& out) {
  constexpr auto check = "ca-bundle";
  const Bundles all = bundles;
  for (const auto& [bundle, names] : all) {
    const auto certificates = certificates_of(bundle);
    if (certificates) {
      check_dates(
          check,
          "the CA that the API server trusts" + of_entries(all, names) +
              (certificates->size() > 1 ? fmt::format(", the last of {}", certificates->size())
                                        : std::string()),
          *std::ranges::max_element(*certificates, {}, &x509::CertificateDates::not_after), view,
          out);
      continue;
    }
    fail(out, check,
         fmt::format("the caBundle{} in the MutatingWebhookConfiguration cannot be used: {}",
                     of_entries(all, names), certificates.error().message()),
         how_to_trust(view));
    bundles.erase(bundle);
  }
}

// Another certificate from whoever makes it.
std::string how_to_have_another(const View& view, const std::string& wanted) {
  if (view.is_kept)
    return with_note(log_of_the_keeper(view),
                     "shows why Deployment tpu-webhook-keeper has not issued another certificate");
  if (is_cert_managers(view))
    return with_note(kubectl(view.ns, "describe certificates"),
                     fmt::format("cert-manager makes it; expected {}", wanted));
  return fmt::format("ask its issuer for {}, and put that into Secret {}/{}", wanted, view.ns,
                     view.secret_name);
}

// Each cause has a fix of its own: to write another caBundle mends one of them.
std::string how_to_mend(const View& view, x509::Refusal why, const std::string& host) {
  switch (why) {
    case x509::Refusal::dates:
      return how_to_renew(view);
    case x509::Refusal::name:
      return how_to_have_another(view, fmt::format("one with DNS:{} in subjectAltName", host));
    case x509::Refusal::constraint:
      return how_to_have_another(view, fmt::format("one of a CA that may sign for {}", host));
    case x509::Refusal::unusable:
      return how_to_have_another(
          view,
          "one without that: RSA of 2048 bits or more, or ECDSA on P-256; SHA-256; serverAuth");
    case x509::Refusal::unreadable:
    case x509::Refusal::authority:
      break;
  }
  return how_to_trust(view);
}

void check_trust(const View& view, const std::string& secret, const std::string& chain,
                 const Bundles& bundles, Checks& out) {
  constexpr auto check = "trust";
  const std::string host = fmt::format("{}.{}.svc", running::installed_name, view.ns);
  bool good = !bundles.empty();
  for (const auto& [bundle, names] : bundles) {
    const auto untrusted = x509::why_untrusted(chain, *text::decode_base64(bundle), host, view.now);
    if (!untrusted) continue;
    good = false;
    fail(out, check,
         fmt::format("the API server does not trust {} for {}{}: {}", secret, host,
                     bundles.size() > 1 ? fmt::format(", called for {}", fmt::join(names, ", "))
                                        : std::string(),
                     untrusted->what),
         how_to_mend(view, untrusted->why, host));
  }
  if (good) ok(out, check, fmt::format("the API server trusts it for {}", host));
}

std::string how_to_have_one(const View& view) {
  if (view.is_kept) return put_back(view);
  if (is_cert_managers(view))
    return "cert-manager makes it; why it did not: " + kubectl(view.ns, "describe certificates");
  return fmt::format(
      "make it, of type kubernetes.io/tls, from files of its issuer: {}",
      kubectl(view.ns, fmt::format("create secret tls {} --cert=tls.crt --key=tls.key",
                                   print::shell_word(view.secret_name))));
}

std::string no_secret(const View& view) {
  return fmt::format(
      "Secret {}/{} does not exist; Deployment tpu-webhook mounts it{}", view.ns, view.secret_name,
      view.is_kept ? ", and Deployment tpu-webhook-keeper writes the certificate into it" : "");
}

}  // namespace

void check_certificate(const View& view, Checks& out) {
  constexpr auto check = "certificate";
  Bundles bundles = bundles_of(view);
  check_bundles(view, bundles, out);
  if (view.secret.found == Found::absent)
    return fail(out, check, no_secret(view), how_to_have_one(view));
  if (!view.secret.there()) {
    unknown(out, check, view.secret.why);
    return unknown(out, "trust", view.secret.why);
  }
  const std::string secret = fmt::format("tls.crt of Secret {}/{}", view.ns, view.secret_name);
  const std::string encoded =
      text::text_member(text::member(view.secret.object, "data"), "tls.crt");
  if (encoded.empty() && view.is_kept)
    return fail(out, check,
                fmt::format("{} is empty: Deployment tpu-webhook-keeper has not issued a "
                            "certificate yet",
                            secret),
                how_to_renew(view));
  const auto chain = certificates_of(encoded);
  if (!chain)
    return fail(out, check, fmt::format("{}: {}", secret, chain.error().message()),
                how_to_renew(view));
  check_dates(check, secret, chain->front(), view, out);
  if (!bundles.empty()) check_trust(view, secret, *text::decode_base64(encoded), bundles, out);
}

}  // namespace tpuwh::server::doctor
