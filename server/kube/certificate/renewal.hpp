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
#pragma once

#include "server/kube/certificate/contents.hpp"
#include "server/net/asio.hpp"
#include "server/tls/context.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace tpuwh::server::kube::certificate {

// One replica's. It waits by its own clock since it has itself seen what it waits for, so that no
// two machines' clocks are compared.
class Renewal {
 public:
  // `host`: the name that the API server asks for, "tpu-webhook.NAMESPACE.svc".
  explicit Renewal(std::string host) : host_(std::move(host)) {}

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
  };
  // Throws std::runtime_error where OpenSSL fails.
  Step next(const Found& found);

 private:
  bool is_whole(const Contents& contents, tls::SystemTime now) const;
  Step repair(const Found& found) const;
  Step renew_authority(const Found& found);
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
};

}  // namespace tpuwh::server::kube::certificate
