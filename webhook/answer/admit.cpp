#include "webhook/answer/admit.hpp"

#include "base/result.hpp"
#include "webhook/answer/probe.hpp"
#include "webhook/answer/respond.hpp"
#include "webhook/answer/workspace.hpp"
#include "webhook/decide/decide.hpp"
#include "webhook/findings/errc.hpp"
#include "webhook/read/claims.hpp"

namespace tpuwh::webhook::answer {

Workspace::Workspace() : impl_(std::make_unique<Impl>()) {}
Workspace::~Workspace() = default;
Workspace::Workspace(Workspace&&) noexcept = default;
Workspace& Workspace::operator=(Workspace&&) noexcept = default;

namespace {

outcome::Summary summarise(const outcome::Decision& decision, Workspace::Impl& work) {
  const facts::Facts& facts = work.told.facts;
  outcome::Summary summary = summary_of(work.review, decision);
  summary.description = work.told.description.view();
  if (decision.outcome == outcome::Outcome::patched)
    summary.patch_bytes = work.told.patch.json().size();
  if (decision.outcome == outcome::Outcome::patched)
    summary.unfit_pools = work.told.unfit_pools.size();
  if (!decision.workload.empty() && !work.told.member.kind.empty()) {
    work.owner.clear();
    work.owner.add(work.told.member.kind, '/', work.told.member.group);
    summary.owner = work.owner.view();
  }
  if (facts.placed) {
    summary.worker = facts.host * facts.slice.processes_per_host;
    summary.workers = facts.slice.processes;
    if (facts.sliced) summary.slice = facts.job_slice;
  }
  return summary;
}

// Another try can succeed, perhaps at another replica: at once, or when the Pod's controller
// makes it.
Answer defer(const outcome::Decision& decision, Workspace::Impl& work) {
  constexpr unsigned service_unavailable = 503;
  Answer answer;
  answer.http_status = service_unavailable;
  answer.retry_after = decision.retry_now ? 1 : 0;
  answer.summary = summarise(decision, work);
  respond_status(service_unavailable, "ServiceUnavailable", decision.denial.message(), work.answer);
  answer.body = work.answer.view();
  return answer;
}

void set_ledger_step(const outcome::Decision& decision, Workspace::Impl& work, LedgerStep& step) {
  const facts::Facts& facts = work.told.facts;
  if (facts.pod == nullptr || !facts.ray()) return;
  const bool has_its_place = facts.placed && !work.told.member.needs_place;
  if (!decision.asks_ledger && !has_its_place) return;
  step.use = decision.asks_ledger ? LedgerStep::Use::ask : LedgerStep::Use::note;
  step.request = {.ns = facts.ns,
                  .cluster = facts.member->group,
                  .cluster_uid = facts.pod->owner.uid,
                  .group = facts.member->part,
                  .size = facts.place_size,
                  .review_uid = work.review.uid,
                  .token = facts.pod->label(read::Label::token),
                  .dry_run = work.review.dry_run || decision.shadow};
  if (has_its_place) {
    step.request.size = {facts.slice.hosts, 0};
    step.place = {facts.slice_index, facts.host};
  }
}

// Whether some are to be read first. Of a Pod that waits for none nothing of that is left.
bool take_claims(const read::ClusterView& cluster, const config::Config& config,
                 Workspace::Impl& work) {
  read::TakenClaims& claims = work.claims;
  read::take_claimed_chips(work.pod, work.review.ns_of(work.pod), cluster, claims);
  if (claims.unread.empty() && claims.unreadable.empty()) return false;
  if (!decide::waits_for_claims(work.review, work.pod, config)) {
    claims.unread.clear();
    claims.unreadable.clear();
  }
  return claims.unreadable.empty() && !claims.unread.empty();
}

Answer ask_for_claims(const config::Config& config, const Workspace::Impl& work) {
  Answer question;
  question.summary.shadow = decide::is_shadowed(work.pod, config);
  question.ledger.use = LedgerStep::Use::read_claims;
  question.unread = work.claims.unread;
  return question;
}

Answer answer_review(read::Body body, decide::Around around, Workspace::Impl& work) {
  const bool read =
      read::read_review(body.bytes(), around.config.prefix, work.reader, work.review, work.pod);
  const bool bad_quantity = !read && work.reader.error().code() == findings::Errc::not_chips;
  if (!read && !bad_quantity) return refuse(work.reader.error(), work);
  if (!bad_quantity && work.pod.may_claim()) {
    if (take_claims(around.cluster, around.config, work))
      return ask_for_claims(around.config, work);
    around.claims = &work.claims;
  }
  outcome::Decision decision =
      bad_quantity
          ? decide::deny_quantity(work.reader.error(), work.review, around.config, work.told)
      : around.claims != nullptr && !work.claims.unreadable.empty()
          ? decide::defer_for_claims(work.pod, around, work.told)
          : decide::decide(work.review, work.pod, around, work.kept, work.told);
  const bool deferred = decision.outcome == outcome::Outcome::deferred && !decision.asks_ledger;
  if (deferred && !decision.shadow) return defer(decision, work);
  if (decision.asks_ledger) {
    Answer question;
    set_ledger_step(decision, work, question.ledger);
    return question;
  }
  if (decision.outcome == outcome::Outcome::failed)
    work.told.notes.say("tpu-webhook failed on this Pod and left it unchanged; please report it");
  if (decision.shadow) decide::note_shadow(decision, work.told);
  note_probe(work.review, work.pod, around.config, work.told.notes);
  respond(work.review, decision, work.told, work.answer);
  Answer answer;
  answer.summary = summarise(decision, work);
  answer.body = work.answer.view();
  set_ledger_step(decision, work, answer.ledger);
  if (work.told.facts.pod != nullptr) answer.told = &work.told;
  return answer;
}

}  // namespace

outcome::Summary summary_of(const read::Review& review, const outcome::Decision& decision) {
  outcome::Summary summary;
  summary.uid = review.uid;
  summary.ns = review.ns;
  summary.workload = decision.workload;
  summary.outcome = decision.outcome;
  summary.reason = decision.reason;
  summary.dry_run = review.dry_run;
  summary.shadow = decision.shadow;
  return summary;
}

Answer refuse(const Error& why, Workspace::Impl& work) {
  const bool large = why.code() == base::Errc::too_large;
  const bool ours = why.code() == base::Errc::internal;
  Answer answer;
  answer.http_status = large ? 413 : ours ? 500 : 400;
  answer.summary.outcome = ours ? outcome::Outcome::failed : outcome::Outcome::unusable;
  answer.summary.reason = large  ? outcome::Reason::too_large
                          : ours ? outcome::Reason::internal_error
                                 : outcome::Reason::unreadable;
  answer.summary.uid = work.review.uid;
  answer.summary.ns = work.review.ns;
  respond_status(answer.http_status,
                 large  ? "RequestEntityTooLarge"
                 : ours ? "InternalError"
                        : "BadRequest",
                 why.text(), work.answer);
  answer.body = work.answer.view();
  return answer;
}

Answer admit_after_exception(Workspace::Impl& work) {
  if (work.review.uid.empty())
    return refuse(Error(base::Errc::internal, "unexpected failure"), work);
  work.told.notes.clear();
  work.told.notes.say("tpu-webhook failed on this object and left it unchanged; please report it");
  respond(work.review, outcome::Decision(), work.told, work.answer);
  Answer answer;
  answer.summary.uid = work.review.uid;
  answer.summary.ns = work.review.ns;
  answer.body = work.answer.view();
  return answer;
}

Answer out_of_memory() noexcept {
  Answer answer;
  answer.http_status = 500;
  answer.body =
      "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},\"status\":\"Failure\","
      "\"message\":\"out of memory\",\"reason\":\"InternalError\",\"code\":500}\n";
  return answer;
}

Answer admit(read::Body review, const config::Config& config, const read::ClusterView& cluster,
             Workspace& workspace, const ledger::PlaceAnswer* place) noexcept {
  Workspace::Impl& work = workspace.impl();
  work.begin();
  return never_throwing(work, [&] {
    return answer_review(review, {config, cluster, place}, work);
  });
}

Answer admit(read::Body review, const config::Config& config, const read::ClusterView& cluster,
             Workspace& workspace, ledger::Ledger& ledger) noexcept {
  const Answer answer = admit(review, config, cluster, workspace);
  const LedgerStep& step = answer.ledger;
  if (step.use == LedgerStep::Use::none || step.use == LedgerStep::Use::read_claims) return answer;
  ledger::PlaceAnswer place{.kind = ledger::PlaceAnswer::Kind::try_again};
  try {
    if (step.use == LedgerStep::Use::ask)
      place = ledger.place(step.request);
    else
      ledger.note(step.request, step.place);
  } catch (...) {  // out of memory; the next try finds more. note() too: this is noexcept
  }
  if (step.use == LedgerStep::Use::note) return answer;
  return admit(review, config, cluster, workspace, &place);
}

}  // namespace tpuwh::webhook::answer
