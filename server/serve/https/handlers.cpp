#include "server/serve/https/handlers.hpp"

#include "base/names.hpp"
#include "webhook/validate/validate.hpp"

#include <chrono>

namespace tpuwh::server::https {
namespace {

// Returns the answer to a probe: "ok", or 503 with the reason. The answer closes its connection, as
// any answer does except the answer to a review.
Reply text_reply(std::string_view why_not) {
  Reply reply{.content_type = "text/plain; charset=utf-8", .body = "ok", .close = true};
  if (!why_not.empty()) {
    reply.status = 503;
    reply.body = why_not;
  }
  return reply;
}

}  // namespace

Answered Handlers::answer(Resource resource, webhook::read::Body body, const Learned& learned) {
  switch (resource) {
    case Resource::mutate:
      return mutate(body, shared_.config, learned);
    case Resource::shadow:
      return mutate(body, shadow_config_, learned);
    case Resource::validate:
      return validate(body, shared_.config);
    case Resource::shadow_validate:
      return validate(body, shadow_config_);
    case Resource::livez:
    case Resource::healthz:
      return {text_reply(shared_.health.why_not_alive(net::Clock::now()))};
    case Resource::readyz:
      return {ready()};
    case Resource::metrics:
      return {scrape()};
  }
  return {Reply{.status = 500, .body = {}, .close = true}};
}

// What is off does not keep it from being ready, and is told beside it.
Reply Handlers::ready() {
  Reply reply = text_reply(shared_.health.why_not_ready(std::chrono::system_clock::now()));
  if (reply.status != 200) return reply;
  ready_text_ = shared_.health.what_is_off();
  if (ready_text_.empty()) return reply;
  ready_text_.insert(0, "ok; ");
  reply.body = ready_text_;
  return reply;
}

Reply Handlers::scrape() {
  metrics_text_ = shared_.metrics.text();
  return {.content_type = metrics::Metrics::content_type, .body = metrics_text_, .close = true};
}

Answered Handlers::mutate(webhook::read::Body review, const webhook::config::Config& how,
                          const Learned& learned) {
  return accounted(metrics::Metrics::Webhook::mutate, [&] {
    if (learned.claims == nullptr) [[likely]]
      return webhook::answer::admit(review, how, shared_.cluster, workspace_, learned.place);
    const kube::places::WithClaims cluster(shared_.cluster, *learned.claims);
    return webhook::answer::admit(review, how, cluster, workspace_, learned.place);
  });
}

Answered Handlers::validate(webhook::read::Body review, const webhook::config::Config& how) {
  return accounted(metrics::Metrics::Webhook::validate, [&] {
    return webhook::validate::validate(review, how, shared_.cluster, workspace_);
  });
}

std::optional<Answered> Handlers::allow_unchecked(std::string& start) {
  const auto answer = webhook::validate::allow_unchecked(start, workspace_);
  if (!answer) return std::nullopt;
  return accounted(metrics::Metrics::Webhook::validate, [&] { return *answer; });
}

template <class F>
Answered Handlers::accounted(metrics::Metrics::Webhook webhook, F&& ask) {
  const auto start = net::Clock::now();
  const webhook::answer::Answer answer = ask();
  const auto took = net::Clock::now() - start;
  // Neither logged nor counted: the last pass, with what was asked, is the review's answer.
  using Use = webhook::answer::LedgerStep::Use;
  const webhook::outcome::Summary& of = answer.summary;
  if (answer.ledger.use == Use::ask || answer.ledger.use == Use::read_claims)
    return {{},
            answer.ledger,
            answer.unread,
            of.shadow,
            std::string(of.owner.substr(0, base::max_host_name_length))};
  shared_.log.review(answer.summary, std::chrono::duration_cast<std::chrono::microseconds>(took));
  shared_.metrics.review(webhook, answer.summary, took);
  return {Reply{.status = answer.http_status,
                .body = answer.body,
                .retry_after = answer.retry_after,
                .close = answer.http_status != 200},
          answer.ledger};
}

}  // namespace tpuwh::server::https
