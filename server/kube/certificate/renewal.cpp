#include "server/kube/certificate/renewal.hpp"

#include "server/limits/limits.hpp"
#include "server/tls/certificates.hpp"
#include "server/tls/issuing.hpp"

#include <array>
#include <utility>

namespace tpuwh::server::kube::certificate {
namespace {

namespace times = limits::renewal;

// What is no certificate is due, too.
bool is_due(const std::string& pem, std::chrono::hours left, tls::SystemTime now) {
  const auto certificates = tls::read_certificates(pem);
  return !certificates || now + left >= certificates->front().not_after;
}

bool can_sign(const tls::Pair& authority, tls::SystemTime now) {
  return tls::belongs_to(authority.key, authority.certificates) &&
         !is_due(authority.certificates, std::chrono::hours(0), now);
}

}  // namespace

net::Clock::duration Renewal::Since::age(const std::string& seen, net::TimePoint now) {
  if (what != seen) {
    what = seen;
    at = now;
  }
  return now - at;
}

bool Renewal::is_whole(const Contents& contents, tls::SystemTime now) const {
  return tls::belongs_to(contents.leaf.key, contents.leaf.certificates) &&
         tls::verify_chain(contents.leaf.certificates, contents.authority.certificates, host_, now)
             .has_value();
}

tls::Pair Renewal::issue_leaf(const tls::Pair& authority, tls::SystemTime now) const {
  const std::array<std::string, 1> names = {host_};
  return tls::issue_leaf(authority, names, now, times::leaf_life);
}

Renewal::Step Renewal::next(const Found& found) {
  if (!is_whole(found.contents, found.now)) return repair(found);
  remembered_ = found.contents;
  const Contents& contents = found.contents;

  const std::string& next = found.trusted ? contents.next_authority.certificates : std::string();
  const bool settled = next_trusted_.age(next, found.at) >= times::settle;
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
    Contents renewed = contents;
    renewed.old_authority = contents.authority.certificates;
    renewed.authority = std::exchange(renewed.next_authority, {});
    renewed.leaf = issue_leaf(renewed.authority, found.now);
    return {std::move(renewed), "the new CA signs, and the old one is trusted for a while",
            found.asked == Asked::leaf};
  }
  const bool signs = can_sign(contents.authority, found.now);
  const bool authority_due =
      found.asked == Asked::authority || !signs ||
      is_due(contents.authority.certificates, times::authority_left, found.now);
  if (contents.old_authority.empty() && authority_due) {
    Contents both = contents;
    both.next_authority = tls::issue_authority(found.now, times::authority_life);
    return {std::move(both), "a new CA is trusted beside the old one",
            found.asked == Asked::authority};
  }
  const bool leaf_due =
      found.asked == Asked::leaf || is_due(contents.leaf.certificates, times::leaf_left, found.now);
  if (!signs || !leaf_due) return {};
  Contents renewed = contents;
  renewed.leaf = issue_leaf(contents.authority, found.now);
  return {std::move(renewed), "the certificate is renewed", found.asked == Asked::leaf};
}

// What every entry trusts comes first: what this replica serves, then what the CA can sign.
Renewal::Step Renewal::repair(const Found& found) const {
  if (remembered_ && is_whole(*remembered_, found.now))
    return {*remembered_, "the Secret had lost the certificate, and has it again"};
  Contents contents = found.contents;
  if (can_sign(contents.authority, found.now)) {
    contents.leaf = issue_leaf(contents.authority, found.now);
    return {std::move(contents), "a certificate of the CA that was there"};
  }
  contents = {};
  contents.authority = tls::issue_authority(found.now, times::authority_life);
  contents.leaf = issue_leaf(contents.authority, found.now);
  return {std::move(contents), "the first CA and certificate"};
}

}  // namespace tpuwh::server::kube::certificate
