#include "kubectl/certificate/renewal.hpp"

#include "kubectl/certificate/times.hpp"
#include "kubectl/x509/certificates.hpp"
#include "kubectl/x509/issuing.hpp"

#include <array>
#include <utility>

namespace tpuwh::server::certificate {
namespace {

// Returns whether a certificate must be renewed: it expires within the time `left`, or the text
// `pem` is not a certificate.
bool is_due(const std::string& pem, std::chrono::hours left, tls::SystemTime now) {
  const auto certificates = x509::read_certificates(pem);
  return !certificates || now + left >= certificates->front().not_after;
}

// Returns whether the CA can sign at `now`: `now` is within the validity period of the CA's
// certificate, and the private key belongs to the certificate.
bool can_sign(const tls::Pair& authority, tls::SystemTime now) {
  const auto certificates = x509::read_certificates(authority.certificates);
  return certificates && x509::belongs_to(authority.key, authority.certificates) &&
         certificates->front().not_before <= now && now < certificates->front().not_after;
}

}  // namespace

net::Clock::duration Renewal::Since::age(const std::string& seen, net::TimePoint now) {
  if (what != seen) {
    what = seen;
    at = now;
  }
  return now - at;
}

Renewal::Renewal(std::string host) : host_(std::move(host)), writes_(secret_writes) {}

bool Renewal::is_whole(const Contents& contents, tls::SystemTime now) const {
  return x509::belongs_to(contents.leaf.key, contents.leaf.certificates) &&
         x509::verify_chain(contents.leaf.certificates, contents.authority.certificates, host_, now)
             .has_value();
}

tls::Pair Renewal::issue_leaf(const tls::Pair& authority, tls::SystemTime now) const {
  const std::array<std::string, 1> names = {host_};
  return x509::issue_leaf(authority, names, now, times::leaf_life);
}

Renewal::Step Renewal::next(const Found& found) {
  Step step = decide(found);
  if (!step.write || writes_.take(found.at)) return step;
  Step paused;
  paused.paused = true;
  paused.trouble =
      "the keeper stops writing the Secret for some minutes, because its changes are undone "
      "repeatedly; check whether another program writes the Secret, and whether the clocks of the "
      "nodes agree";
  return paused;
}

Renewal::Step Renewal::decide(const Found& found) {
  if (!is_whole(found.contents, found.now)) return repair(found);
  remembered_ = found.contents;
  const Contents& contents = found.contents;

  const std::string& next = found.trusted ? contents.next_authority.certificates : std::string();
  const bool settled = trusted_since_.age(next, found.at) >= times::settle;
  const bool forgotten = old_seen_.age(contents.old_authority, found.at) >= times::keep_old;

  if (!contents.old_authority.empty() && forgotten) {
    Contents without = contents;
    without.old_authority.clear();
    return {std::move(without), "the old CA is no longer trusted"};
  }
  if (contents.next_authority != tls::Pair()) {
    if (!can_sign(contents.next_authority, found.now)) {
      Contents without = contents;
      without.next_authority = {};
      return {std::move(without), "the next CA cannot sign and is dropped"};
    }
    if (next.empty() || !settled) return {};
    return sign_with_next(found);
  }
  const bool signs = can_sign(contents.authority, found.now);
  const bool authority_due =
      found.asked == Asked::authority || !signs ||
      is_due(contents.authority.certificates, times::authority_left, found.now);
  if (contents.old_authority.empty() && authority_due) {
    Contents both = contents;
    both.next_authority = x509::issue_authority(found.now, times::authority_life);
    return {std::move(both), "a new CA is trusted beside the old one",
            found.asked == Asked::authority};
  }
  const bool leaf_due =
      found.asked == Asked::leaf || is_due(contents.leaf.certificates, times::leaf_left, found.now);
  if (!signs || !leaf_due || !found.trusted) return {};
  Contents renewed = contents;
  renewed.leaf = issue_leaf(contents.authority, found.now);
  return {std::move(renewed), "the certificate is renewed", found.asked == Asked::leaf};
}

Renewal::Step Renewal::sign_with_next(const Found& found) const {
  Contents renewed = found.contents;
  renewed.old_authority = found.contents.authority.certificates;
  renewed.authority = std::exchange(renewed.next_authority, {});
  renewed.leaf = issue_leaf(renewed.authority, found.now);
  return {std::move(renewed), "the new CA signs, and the old one is trusted for a while",
          found.asked == Asked::leaf};
}

// Repairs a Secret that has no valid contents. If this keeper has read valid contents before, these
// contents are restored, because replicas still serve the certificate in them. Otherwise a new
// certificate is issued, but only after the caBundle of every webhook has the CA that signs this
// certificate.
Renewal::Step Renewal::repair(const Found& found) {
  if (remembered_ && is_whole(*remembered_, found.now))
    return {*remembered_, "the Secret had lost the certificate, and has it again"};
  Contents contents = found.contents;
  if (can_sign(contents.authority, found.now)) {
    const std::string& trusted = found.trusted ? contents.authority.certificates : std::string();
    const bool settled = trusted_since_.age(trusted, found.at) >= times::settle;
    // The CA in the Secret signs only when all caBundles contain it. If an old CA exists, the
    // keeper also waits for the time `settle`, so that every API server has read the new caBundles.
    // Until then, replicas serve the certificate that the old CA signed.
    if (!found.trusted || (!contents.old_authority.empty() && !settled)) return {};
    contents.leaf = issue_leaf(contents.authority, found.now);
    return {std::move(contents), "a certificate of the existing CA"};
  }
  contents = {};
  contents.authority = x509::issue_authority(found.now, times::authority_life);
  // Replicas may still serve a certificate whose CA is no longer in the Secret. So all CAs in the
  // present caBundles stay trusted.
  contents.old_authority = found.trusted_already;
  return {std::move(contents), "the first CA"};
}

}  // namespace tpuwh::server::certificate
