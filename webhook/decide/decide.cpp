#include "webhook/decide/decide.hpp"

#include "webhook/decide/identity.hpp"
#include "webhook/decide/joins.hpp"
#include "webhook/decide/member_names.hpp"
#include "webhook/decide/pod_slice.hpp"
#include "webhook/decide/write_member.hpp"
#include "webhook/workloads/annotations.hpp"
#include "webhook/workloads/table.hpp"

#include <string>
#include <utility>
#include <variant>

namespace tpuwh::webhook::decide {

namespace {

void begin_facts(const read::Pod& pod, std::string_view ns, const topology::Slice& slice,
                 Scratch& scratch) {
  scratch.facts = Facts();
  scratch.facts.pod = &pod;
  scratch.facts.shape = &scratch.shape;
  scratch.facts.member = &scratch.member;
  scratch.before.parse(pod.annotation(read::Annotation::injected));
  scratch.facts.before = &scratch.before;
  scratch.facts.ns = ns;
  scratch.facts.slice = slice;
}

// Words for `kubectl describe`: which member of which slice this is.
void describe(const Facts& facts, text::Buffer& out) {
  const workloads::Member& member = *facts.member;
  const topology::Slice& slice = facts.slice;
  out.clear();
  out.add(std::string_view("host "), facts.host, std::string_view(" of "), slice.hosts);
  if (facts.sliced) {
    out.add(std::string_view(", slice "), facts.job_slice);
    if (facts.slice_count > 0) out.add(std::string_view(" of "), facts.slice_count);
  }
  out.add(std::string_view(", "), member.kind, ' ', member.group);
  if (!member.part.empty()) out.add('/', member.part);
  out.append(std::string_view(": "));
  if (slice.dims.rank() > 0) {
    out.add(slice.dims.axis(0), 'x', slice.dims.axis(1));
    if (slice.dims.rank() == 3) out.add('x', slice.dims.axis(2));
    if (!slice.accelerator.empty()) out.append(std::string_view(" of "));
  }
  out.append(slice.accelerator);
  if (slice.dims.rank() > 0 || !slice.accelerator.empty()) out.append(std::string_view(", "));
  out.add(slice.chips_per_host, std::string_view(" chips per host"));
}

// ---- the members of a slice

Decision no_subdomain(const config::Config& config, Scratch& scratch) {
  scratch.notes.warn("the Pod has no spec.subdomain, so the " +
                     std::to_string(scratch.facts.slice.hosts) +
                     " hosts of the slice have no DNS names; set it to a headless Service");
  Decision decision = write_member(config, scratch);
  if (decision.outcome == Outcome::unchanged) decision.reason = Reason::no_subdomain;
  return decision;
}

Decision write_noted(const config::Config& config, Scratch& scratch) {
  note_coordinator(scratch.facts, scratch.notes);
  return write_member(config, scratch);
}

Decision write_named(const config::Config& config, Scratch& scratch) {
  Facts& facts = scratch.facts;
  if (auto named = check_names(facts, scratch.text); !named)
    return deny(Reason::bad_name, named.error());
  if (auto wrong = wrong_hostname(facts, scratch.text); !wrong.empty())
    return leave_alone(Reason::inconsistent, std::move(wrong), scratch.notes);
  note_resolving(*facts.pod, scratch.notes);
  facts.named = true;
  return write_noted(config, scratch);
}

Decision write_listed(const config::Config& config, Scratch& scratch) {
  Facts& facts = scratch.facts;
  if (auto wrong = wrong_hostnames(facts); !wrong.empty())
    return leave_alone(Reason::inconsistent, std::move(wrong), scratch.notes);
  facts.named = true;
  return write_noted(config, scratch);
}

Decision decide_settled(const config::Config& config, Scratch& scratch) {
  const Facts& facts = scratch.facts;
  const workloads::Member& member = scratch.member;
  describe(facts, scratch.description);
  if (auto wrong = wrong_coordinator(member); !wrong.empty())
    return leave_alone(Reason::inconsistent, std::move(wrong), scratch.notes);
  const bool multi_host = facts.slice.multi_host();
  if (multi_host && !member.hostnames.empty()) return write_listed(config, scratch);
  if (multi_host && member.names.stem.empty())
    return leave_alone(Reason::no_identity,
                       "nothing names the hosts of the slice: add annotation hostnames; nothing "
                       "was injected",
                       scratch.notes);
  if (!multi_host && (!joins_others(facts) || member.subdomain.empty()))
    return write_noted(config, scratch);
  return member.subdomain.empty() ? no_subdomain(config, scratch) : write_named(config, scratch);
}

Decision decide_member(const Around& around, Scratch& scratch) {
  Identity identity = settle_identity(scratch.facts, scratch.member, around.cluster, around.place);
  switch (identity.verdict) {
    case Identity::Verdict::settled:
      return decide_settled(around.config, scratch);
    case Identity::Verdict::leave_alone:
      return leave_alone(identity.reason, std::move(identity.why).message(), scratch.notes);
    case Identity::Verdict::deny:
      return deny(identity.reason, std::move(identity.why));
    case Identity::Verdict::ask_ledger:
    case Identity::Verdict::try_again:
      break;
  }
  return {.outcome = Outcome::deferred,
          .reason = identity.reason,
          .denial = std::move(identity.why),
          .retry_now = identity.retry_now,
          .asks_ledger = identity.verdict == Identity::Verdict::ask_ledger};
}

// ---- the order of it all

Decision decide_shape(const read::Pod& pod, std::string_view ns, const Around& around,
                      Scratch& scratch) {
  SliceOrDecision found = slice_of(scratch.shape, scratch.member, scratch.notes);
  if (auto* decision = std::get_if<Decision>(&found)) return std::move(*decision);
  begin_facts(pod, ns, std::get<topology::Slice>(found), scratch);
  return decide_member(around, scratch);
}

// A Pod for TPU nodes without chips, but with claims: they may be what it asks with.
void note_claims(const read::Pod& pod, Notes& notes) {
  if (pod.claim_uses.empty() || pod.selector(read::key::accelerator).empty()) return;
  notes.warn(
      "the Pod selects TPU nodes and asks for no google.com/tpu; whether its resource claims are "
      "for chips, and for how many, is not known here, so nothing was injected");
}

void begin(const config::Config& config, Scratch& scratch) {
  scratch.notes.clear();
  scratch.description.clear();
  scratch.frozen = false;
  scratch.facts = Facts();
  scratch.member = workloads::Member();  // its views died with the review before
  scratch.patch.clear(config.prefix);
}

}  // namespace

Decision deny_quantity(Error why, const config::Config& config, Scratch& scratch) {
  begin(config, scratch);
  Decision decision = deny(Reason::bad_quantity, std::move(why));
  decision.shadow = config.mode == config::Mode::shadow;
  return decision;
}

void note_shadow(const Decision& decision, Scratch& scratch) {
  if (decision.outcome == Outcome::denied)
    scratch.notes.warn("shadow mode: this Pod would have been refused: " +
                       std::string(decision.denial.text()));
  if (decision.outcome == Outcome::deferred)
    scratch.notes.warn("shadow mode: this Pod would have been asked to come again: " +
                       std::string(decision.denial.text()));
  if (decision.outcome == Outcome::patched)
    scratch.notes.warn("shadow mode: this Pod would have been patched as " +
                       std::string(scratch.description.view()) + "; it was left as it is");
}

Decision decide(const read::Review& review, const read::Pod& pod, const Around& around,
                Scratch& scratch) {
  const config::Config& config = around.config;
  begin(config, scratch);
  const auto none_of_ours = [&](Reason reason) {
    return Decision{.reason = reason, .shadow = config.mode == config::Mode::shadow};
  };
  if (!review.is_pod_creation()) return none_of_ours(Reason::not_a_pod);
  if (!read_shape(pod, scratch.shape)) {
    note_claims(pod, scratch.notes);
    return none_of_ours(Reason::no_tpu);
  }
  if (pod.annotation(read::Annotation::inject) == "false") return none_of_ours(Reason::opted_out);

  const std::string_view ns = review.ns_of(pod);
  const workloads::Workload& workload = workloads::workload_of(pod);
  Decision decision{.reason = Reason::switched_off};
  if (config.workloads.has(workload.kind)) {
    scratch.member.workload = workload.kind;
    workload.identify({pod, ns, config, around.cluster, scratch.service}, scratch.member);
    workloads::apply_annotations(pod, ns, scratch.member);
    decision = decide_shape(pod, ns, around, scratch);
  }
  decision.workload = workload.name;
  decision.shadow = config.mode_for(workload.kind) == config::Mode::shadow;
  return decision;
}

}  // namespace tpuwh::webhook::decide
