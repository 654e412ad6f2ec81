// Decides the next step for the certificate in the Secret: to issue, renew or restore it. Each step
// is one write of the Secret. The write fails if another process has changed the Secret since it
// was read. If a keeper is killed after any write, the next keeper continues from there. During an
// upgrade, replicas of an older release may also write the Secret, because in that release the
// replicas issued the certificate.
//
// Every API server trusts a new CA before that CA signs. An API server trusts an old CA for as long
// as a replica may serve a certificate that the old CA signed. So a renewal never makes the API
// server's calls of the webhook fail. Below, the left column is the contents of the Secret, and the
// right column is the event that leads to the next line. `ca` is the CA that signs, `next` will
// sign next, `old` is a CA that signed before, and `leaf` is the server's certificate. An entry is
// one webhook in the webhook configurations of tpu-webhook. `settle` and `keep_old` are waits
// (times.hpp). The first certificate:
//
//   no CA that can sign    a new CA is issued; `old` becomes the CAs that the entries already trust
//   ca, perhaps old        every entry trusts `ca`; if `old` exists, `settle` also passes
//   ca + leaf              if `old` exists, it is removed after `keep_old`
//
// The renewal of the CA:
//
//   ca + leaf              the CA must be renewed
//   ca + next + leaf       every entry trusts both CAs, and `settle` passes
//   ca + old + leaf        `ca` is the former `next` and has signed the leaf, `old` is the former
//                          `ca`; `keep_old` passes
//   ca + leaf              `old` has been removed
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

// The limit for one keeper's writes of the Secret: at most 16 in a row, then one in five minutes. A
// renewal of the CA takes three writes, and most days need none. If the clocks of two keepers
// differ by months, each keeper undoes the writes of the other. The limit slows these writes down.
inline constexpr limits::api::Rate secret_writes = {1.0 / 300, 16};

// The state machine of one keeper. Each wait is measured with this keeper's steady clock, from when
// this keeper first read the state that begins the wait. So the clocks of two machines are never
// compared.
class Renewal {
 public:
  // `host`: the name that the API server asks for, "tpu-webhook.NAMESPACE.svc".
  explicit Renewal(std::string host);

  // The state of the Secret and of the webhook configurations at the API server.
  struct Found {
    Contents contents;
    Asked asked = Asked::nothing;
    bool trusted = false;              // true: caBundles exist, and all are contents.bundle()
    std::string trusted_already = {};  // PEM: every CA that is in the caBundle of any webhook
    tls::SystemTime now;               // the wall clock, for the dates of certificates
    net::TimePoint at;                 // the steady clock, for waits
  };
  // The keeper's next step: the contents to write to the Secret, if any, and the reason for this
  // write, which is logged. If `answers` is true, the write fulfils the request in the annotation
  // tpu-webhook.dev/renew.
  struct Step {
    std::optional<Contents> write = {};
    std::string_view why = {};
    bool answers = false;
    bool paused = false;       // true: a write is due, but the limit secret_writes delays it
    std::string trouble = {};  // a warning for the log, a sentence; "" for none
  };
  // Returns the next step. Throws std::runtime_error if OpenSSL fails.
  Step next(const Found& found);

 private:
  Step decide(const Found& found);
  bool is_whole(const Contents& contents, tls::SystemTime now) const;
  Step sign_with_next(const Found& found) const;
  Step repair(const Found& found);
  tls::Pair issue_leaf(const tls::Pair& authority, tls::SystemTime now) const;

  // A text and the time at which it was first seen.
  struct Since {
    std::string what;
    net::TimePoint at;
    // Returns the time since age() was first called with the text `seen`. A call with a different
    // text resets this time to 0.
    net::Clock::duration age(const std::string& seen, net::TimePoint now);
  };

  const std::string host_;
  std::optional<Contents> remembered_;  // whole, as the Secret last had it
  Since trusted_since_;                 // since when all caBundles have the new CA
  Since old_seen_;                      // since when the Secret has the old CA
  kube::client::TokenBucket writes_;
};

}  // namespace tpuwh::server::certificate
