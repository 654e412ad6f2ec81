#include "server/https/handlers.hpp"

#include "webhook/validate/validate.hpp"

#include <chrono>

namespace tpuwh::server::https {
namespace {

// A probe's answer: "ok", or 503 and why not.
Reply text_reply(std::string_view why_not) {
  Reply reply{.content_type = "text/plain; charset=utf-8", .body = "ok"};
  if (!why_not.empty()) {
    reply.status = 503;
    reply.body = why_not;
  }
  return reply;
}

}  // namespace

Reply Handlers::answer(Resource resource, std::string& body,
                       const webhook::ledger::PlaceAnswer* place) {
  ledger = {};
  switch (resource) {
    case Resource::mutate:
      return mutate(body, config, place);
    case Resource::shadow:
      return mutate(body, shadow_config, place);
    case Resource::validate:
      return validate(body, config);
    case Resource::shadow_validate:
      return validate(body, shadow_config);
    case Resource::livez:
    case Resource::healthz:
      return text_reply(health.why_not_alive(net::Clock::now()));
    case Resource::readyz:
      return text_reply(health.why_not_ready(std::chrono::system_clock::now()));
    case Resource::metrics:
      metrics_text = metrics.text();
      return Reply{.content_type = metrics::Metrics::content_type, .body = metrics_text};
  }
  return Reply{.status = 500, .body = {}};
}

Reply Handlers::mutate(std::string& body, const webhook::config::Config& how,
                       const webhook::ledger::PlaceAnswer* place) {
  return accounted(metrics::Metrics::Webhook::mutate, [&] {
    return webhook::answer::admit(webhook::read::Body(body), how, cluster, workspace, place);
  });
}

Reply Handlers::validate(std::string& body, const webhook::config::Config& how) {
  return accounted(metrics::Metrics::Webhook::validate, [&] {
    return webhook::validate::validate(webhook::read::Body(body), how, cluster, workspace);
  });
}

template <class F>
Reply Handlers::accounted(metrics::Metrics::Webhook webhook, F&& ask) {
  const auto start = net::Clock::now();
  const webhook::answer::Answer answer = ask();
  const auto took = net::Clock::now() - start;
  ledger = {answer.ledger_use, answer.place_request, answer.place};
  if (answer.ledger_use == webhook::answer::Answer::LedgerUse::ask) return {};
  log.review(answer.summary, std::chrono::duration_cast<std::chrono::microseconds>(took));
  metrics.review(webhook, answer.summary, took);
  return Reply{.status = answer.http_status,
               .body = answer.body,
               .retry_after = answer.retry_after,
               .close = answer.retry_after > 0};
}

}  // namespace tpuwh::server::https
