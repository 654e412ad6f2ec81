// What is to become of the certificate in the Secret: issued, renewed, restored. Any replica may
// do the next step, because each is one write that fails where another has written meanwhile.
//
// A new CA is trusted by every API server before it signs, and an old one for as long as a replica
// may serve what it signed, so that no call fails:
//
//   ca                  the CA is due
//   ca + next           every entry of our configurations trusts both; `settle` passes
//   next signs a leaf   it is the ca now, and the former one `old`; `keep_old` passes
//   ca                  `old` is forgotten
//
// Clocks of replicas may differ by any time. What is valid by another's and not yet by ours is left
// in the Secret: a replica whose clock was 60 days ahead renewed, the others restored theirs, and
// so on without end. Ours is served meanwhile, signed by the same CA. What cannot be settled so,
// such as a CA of the far future, is bounded by secret_writes.
#pragma once

#include "server/kube/certificate/contents.hpp"
#include "server/kube/client/token_bucket.hpp"
#include "server/limits/limits.hpp"
#include "server/net/asio.hpp"
#include "server/tls/context.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace tpuwh::server::kube::certificate {

// Writes of the Secret by one replica: a renewal of the CA is three, and a day has few. Where two
// replicas undo what the other has written, it is one in five minutes, and so is its line in the
// log.
inline constexpr limits::api::Rate secret_writes = {1.0 / 300, 16};

// One replica's. It waits by its own clock since it has itself seen what it waits for, so that no
// two machines' clocks are compared.
class Renewal {
 public:
  // `host`: the name that the API server asks for, "tpu-webhook.NAMESPACE.svc".
  explicit Renewal(std::string host);

  // What was found at the API server.
  struct Found {
    Contents contents;
    Asked asked = Asked::nothing;
    bool trusted = false;  // every entry of our configurations has contents.bundle()
    tls::SystemTime now;   // of the calendar
    net::TimePoint at;     // of the clock that waits are measured by
  };
  // What is to be written in its place, if anything, and why: for the log. `answers`: what was
  // asked for is done by it.
  struct Step {
    std::optional<Contents> write = {};
    std::string_view why = {};
    bool answers = false;
    // Served in place of what the Secret holds.
    std::optional<tls::Pair> serve = {};
    bool paused = false;       // a write that would be due has no turn: limits of secret_writes
    std::string trouble = {};  // what a person should know, a sentence; "" for nothing
  };
  // Throws std::runtime_error where OpenSSL fails.
  Step next(const Found& found);

 private:
  Step decide(const Found& found);
  bool is_whole(const Contents& contents, tls::SystemTime now) const;
  bool is_dated_ahead(const Contents& contents, tls::SystemTime now) const;
  Step sign_with_next(const Found& found) const;
  Step serve_beside(const Found& found);
  Step repair(const Found& found) const;
  tls::Pair issue_leaf(const tls::Pair& authority, tls::SystemTime now) const;

  // Since when something has been seen, by its text.
  struct Since {
    std::string what;
    net::TimePoint at;
    // How long `seen` has been there at `now`; an empty one has not.
    net::Clock::duration age(const std::string& seen, net::TimePoint now);
  };

  const std::string host_;
  std::optional<Contents> remembered_;  // whole, as the Secret last had it
  Since next_trusted_, old_seen_;
  client::TokenBucket writes_;
};

}  // namespace tpuwh::server::kube::certificate
