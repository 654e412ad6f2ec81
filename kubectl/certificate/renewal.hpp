// Decides what becomes of the certificate in the Secret: issued, renewed, restored. Each step is
// one write, which fails if another process has written meanwhile. So a keeper that is killed after
// any write is continued by the next one, and replicas of a release that issued themselves may
// write the same Secret while an upgrade runs.
//
// A new CA is trusted by every API server before it signs, and an old one for as long as a replica
// may serve what it signed, so that no call fails:
//
//   nothing             no CA that can sign
//   ca, perhaps old     a new CA; what the entries trust already is `old`
//   ca + leaf           every entry of our configurations trusts the ca; `settle` passes if there
//   is `old`
//
//   ca                  the CA is due
//   ca + next           every entry trusts both; `settle` passes
//   next signs a leaf   it is the ca now, and the former one `old`; `keep_old` passes
//   ca                  `old` is forgotten
#pragma once

#include "kubectl/certificate/contents.hpp"
#include "server/kube/client/token_bucket.hpp"
#include "server/limits/limits.hpp"
#include "server/net/asio.hpp"
#include "server/tls/context.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace tpuwh::server::certificate {

// Writes of the Secret by one keeper. A renewal of the CA is three, and a day has few. If two
// writers undo what the other has written, because their clocks differ by months, each writes once
// in five minutes.
inline constexpr limits::api::Rate secret_writes = {1.0 / 300, 16};

// The state machine of one keeper. It waits by its own clock since it has itself seen what it waits
// for, so that no two machines' clocks are compared.
class Renewal {
 public:
  // `host`: the name that the API server asks for, "tpu-webhook.NAMESPACE.svc".
  explicit Renewal(std::string host);

  // The state of the objects at the API server.
  struct Found {
    Contents contents;
    Asked asked = Asked::nothing;
    bool trusted = false;         // there are entries, and each has contents.bundle()
    std::string trusted_already = {};  // PEM: every certificate that an entry trusts
    tls::SystemTime now;          // of the calendar
    net::TimePoint at;            // of the clock that waits are measured by
  };
  // The contents to write in its place, if any, and why: for the log. `answers`: the write does
  // what the annotation asks for.
  struct Step {
    std::optional<Contents> write = {};
    std::string_view why = {};
    bool answers = false;
    bool paused = false;       // the limit secret_writes delays a write
    std::string trouble = {};  // what a person should know, a sentence; "" for nothing
  };
  // Throws std::runtime_error if OpenSSL fails.
  Step next(const Found& found);

 private:
  Step decide(const Found& found);
  bool is_whole(const Contents& contents, tls::SystemTime now) const;
  Step sign_with_next(const Found& found) const;
  Step repair(const Found& found);
  tls::Pair issue_leaf(const tls::Pair& authority, tls::SystemTime now) const;

  // Since when a text has been seen.
  struct Since {
    std::string what;
    net::TimePoint at;
    // Returns how long `seen` has been there at `now`.
    net::Clock::duration age(const std::string& seen, net::TimePoint now);
  };

  const std::string host_;
  std::optional<Contents> remembered_;  // whole, as the Secret last had it
  Since trusted_since_, old_seen_;      // of the CA that is to sign next, and of the old one
  kube::client::TokenBucket writes_;
};

}  // namespace tpuwh::server::certificate
