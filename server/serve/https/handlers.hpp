// Computes the answers to HTTP requests. Handlers use no socket, so tests can call answer()
// directly.
#pragma once

#include "server/kube/places/claims.hpp"
#include "server/log/log.hpp"
#include "server/serve/https/health.hpp"
#include "server/serve/https/reply.hpp"
#include "server/serve/https/router.hpp"
#include "server/serve/metrics/metrics.hpp"
#include "webhook/answer/admit.hpp"

#include <optional>
#include <span>
#include <string>

namespace tpuwh::server::https {

// The answer to a request. If `ledger.use` is not `none`, it is the step that the caller must do
// next. If the step is `ask` or `read_claims`, `reply` is empty, and the caller must call
// Handlers::answer() again with the result of the step.
struct Answered {
  Reply reply;
  webhook::answer::LedgerStep ledger = {};
  std::span<const webhook::read::ClaimSource> unread = {};  // Answer::unread
  bool shadow = false;  // nothing is patched: who asks for these waits for none that is not there
  std::string owner = {};  // owner of the Pod, if the ledger or the API server is to be asked
};

// The results of the steps that the last call of Handlers::answer() asked for: the answer of the
// ledger, and the claims that the API server returned. A pointer is null if its value was not asked
// for or is not known.
struct Learned {
  const webhook::ledger::PlaceAnswer* place = nullptr;
  const kube::places::ReadClaims* claims = nullptr;
};

// The handlers of one event loop.
class Handlers {
 public:
  // The objects that the handlers of all event loops share. The objects must outlive the loops.
  struct Shared {
    const webhook::config::Config& config;
    const webhook::read::ClusterView& cluster;
    const Health& health;
    log::Log& log;
    metrics::Metrics& metrics;
  };
  explicit Handlers(const Shared& shared)
      : shared_(shared), shadow_config_(shared.config.in_shadow()) {}

  // Returns the answer to a request for `resource`. If the request is a review, `body` is the
  // review. The views in the answer are valid until the next call, and as long as the bytes that
  // `body` views do not change.
  Answered answer(Resource resource, webhook::read::Body body, const Learned& learned = {});

  // Allows a workload object whose review is too large to be read. `start` is the first bytes of
  // the review. Returns nothing if these bytes do not identify the review.
  std::optional<Answered> allow_unchecked(std::string& start);

  // After a review beyond limits::large_review_bytes: what it was read into.
  void give_back_memory() { workspace_ = webhook::answer::Workspace(); }

 private:
  Answered mutate(webhook::read::Body review, const webhook::config::Config& how,
                  const Learned& learned);
  Answered validate(webhook::read::Body review, const webhook::config::Config& how);
  // Asks, logs, counts, and makes a reply of the answer.
  template <class F>
  Answered accounted(metrics::Metrics::Webhook webhook, F&& ask);
  Reply ready();
  Reply scrape();

  const Shared shared_;
  // The configuration for reviews at /shadow and the paths below it: Pods are allowed unchanged,
  // and decisions are only reported. A cluster can have a second webhook configuration with such a
  // path, for some namespaces.
  const webhook::config::Config shadow_config_;
  webhook::answer::Workspace workspace_;
  std::string metrics_text_;  // of the last scrape
  std::string ready_text_;    // of the last /readyz that had more to say than "ok"
};

}  // namespace tpuwh::server::https
