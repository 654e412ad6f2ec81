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

// It, or a clock that is ahead of ours, says that it is good from some later time on.
bool is_ahead(const std::string& pem, tls::SystemTime now) {
  const auto certificates = tls::read_certificates(pem);
  return certificates && now < certificates->front().not_before;
}

// Now, or once it has begun.
bool is_good(const tls::Pair& authority, tls::SystemTime now) {
  return tls::belongs_to(authority.key, authority.certificates) &&
         !is_due(authority.certificates, std::chrono::hours(0), now);
}

bool can_sign(const tls::Pair& authority, tls::SystemTime now) {
  return is_good(authority, now) && !is_ahead(authority.certificates, now);
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
  return tls::belongs_to(contents.leaf.key, contents.leaf.certificates) &&
         tls::verify_chain(contents.leaf.certificates, contents.authority.certificates, host_, now)
             .has_value();
}

tls::Pair Renewal::issue_leaf(const tls::Pair& authority, tls::SystemTime now) const {
  const std::array<std::string, 1> names = {host_};
  return tls::issue_leaf(authority, names, now, times::leaf_life);
}

// Whole, but that by our clock the certificate is not valid yet: the CA signs for us as well.
bool Renewal::is_dated_ahead(const Contents& contents, tls::SystemTime now) const {
  if (!is_ahead(contents.leaf.certificates, now) || !can_sign(contents.authority, now))
    return false;
  const auto leaf = tls::read_certificates(contents.leaf.certificates);
  return is_whole(contents, leaf->front().not_before + std::chrono::minutes(1));
}

Renewal::Step Renewal::next(const Found& found) {
  Step step = decide(found);
  if (!step.write || writes_.take(found.at)) return step;
  Step paused;
  paused.paused = true;
  paused.trouble =
      "the Secret is not written for some minutes: writes of this replica are undone again and "
      "again; check the clocks of the replicas' nodes";
  if (remembered_ && is_whole(*remembered_, found.now)) paused.serve = remembered_->leaf;
  return paused;
}

Renewal::Step Renewal::decide(const Found& found) {
  if (is_dated_ahead(found.contents, found.now)) return serve_beside(found);
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
    if (!is_good(contents.next_authority, found.now)) {
      Contents without = contents;
      without.next_authority = {};
      return {std::move(without), "the next CA cannot sign and is dropped"};
    }
    // One that is dated ahead is left to whoever made it, and the CA goes on without.
    const bool ahead = is_ahead(contents.next_authority.certificates, found.now);
    if (!ahead && (next.empty() || !settled)) return {};
    if (!ahead) return sign_with_next(found);
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

Renewal::Step Renewal::sign_with_next(const Found& found) const {
  Contents renewed = found.contents;
  renewed.old_authority = found.contents.authority.certificates;
  renewed.authority = std::exchange(renewed.next_authority, {});
  renewed.leaf = issue_leaf(renewed.authority, found.now);
  return {std::move(renewed), "the new CA signs, and the old one is trusted for a while",
          found.asked == Asked::leaf};
}

// The Secret stays as it is, and this replica serves what it served, or one of the same CA that
// nobody else has.
Renewal::Step Renewal::serve_beside(const Found& found) {
  Contents own = found.contents;
  if (found.asked == Asked::leaf) {
    own.leaf = issue_leaf(own.authority, found.now);
    return {std::move(own), "the certificate is renewed", true};
  }
  own.leaf = remembered_ ? remembered_->leaf : tls::Pair();
  if (!is_whole(own, found.now) || is_due(own.leaf.certificates, times::leaf_left, found.now))
    own.leaf = issue_leaf(own.authority, found.now);
  remembered_ = own;
  Step step;
  step.serve = own.leaf;
  step.trouble =
      "the certificate in the Secret is not valid yet by this node's clock; another of its CA is "
      "served. A replica whose clock is ahead wrote it, or this one's is behind";
  return step;
}

// What every entry trusts comes first: what this replica serves, then what the CA can sign.
Renewal::Step Renewal::repair(const Found& found) const {
  if (remembered_ && is_whole(*remembered_, found.now))
    return {*remembered_, "the Secret had lost the certificate, and has it again"};
  Contents contents = found.contents;
  if (can_sign(contents.authority, found.now)) {
    contents.leaf = issue_leaf(contents.authority, found.now);
    return {std::move(contents), "a certificate of the existing CA"};
  }
  contents = {};
  contents.authority = tls::issue_authority(found.now, times::authority_life);
  contents.leaf = issue_leaf(contents.authority, found.now);
  return {std::move(contents), "the first CA and certificate"};
}

}  // namespace tpuwh::server::kube::certificate
