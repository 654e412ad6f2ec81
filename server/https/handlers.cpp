#include "server/https/handlers.hpp"

#include <chrono>

namespace tpuwh::server {
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

Reply Handlers::answer(Resource resource, std::string& body, const webhook::PlaceAnswer* place) {
  ledger = {};
  switch (resource) {
    case Resource::mutate:
      return review(body, config, place);
    case Resource::shadow:
      return review(body, shadow_config, place);
    case Resource::livez:
    case Resource::healthz:
      return text_reply(health.why_not_alive(Clock::now()));
    case Resource::readyz:
      return text_reply(health.why_not_ready(std::chrono::system_clock::now()));
  }
  return Reply{.status = 500, .body = {}};
}

Reply Handlers::review(std::string& body, const webhook::Config& how,
                       const webhook::PlaceAnswer* place) {
  const auto start = Clock::now();
  const auto answer = webhook::admit(webhook::Body(body), how, cluster, workspace, place);
  const auto took = std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - start);
  ledger = {answer.ledger_use, answer.place_request, answer.place};
  if (answer.ledger_use == webhook::Answer::LedgerUse::ask) return {};
  log.review(answer.summary, took);
  return Reply{.status = answer.http_status,
               .body = answer.body,
               .retry_after = answer.retry_after,
               .close = answer.retry_after > 0};
}

}  // namespace tpuwh::server
