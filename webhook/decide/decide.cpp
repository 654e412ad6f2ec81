#include "webhook/decide/decide.hpp"

#include "base/names.hpp"
#include "webhook/decide/levels.hpp"
#include "webhook/decide/write_member.hpp"
#include "webhook/findings/finding.hpp"
#include "webhook/identity/identity.hpp"
#include "webhook/identity/joins.hpp"
#include "webhook/identity/member_names.hpp"
#include "webhook/identity/pod_slice.hpp"
#include "webhook/read/affinity.hpp"
#include "webhook/workloads/annotations.hpp"
#include "webhook/workloads/table.hpp"

#include <string>
#include <utility>
#include <variant>

namespace tpuwh::webhook::decide {

namespace {

using findings::Finding;

void begin_facts(const read::Pod& pod, std::string_view ns, const topology::Slice& slice,
                 Scratch& scratch) {
  scratch.facts.pod = &pod;
  scratch.facts.shape = &scratch.shape;
  scratch.facts.member = &scratch.member;
  scratch.before.parse(pod.annotation(read::Annotation::injected));
  scratch.facts.before = &scratch.before;
  scratch.facts.ns = ns;
  scratch.facts.slice = slice;
}

// Words for `kubectl describe`: which member of which slice this is. Nothing has checked yet
// what a label, a selector or an owner's kind holds (docs/facts.md#mutation-before-validation), and
// a warning and a log line say it too.
void describe(const facts::Facts& facts, base::Buffer& out) {
  const workloads::Member& member = *facts.member;
  const topology::Slice& slice = facts.slice;
  out.clear();
  out.add("host ", facts.host, " of ", slice.hosts);
  if (facts.sliced) {
    out.add(", slice ", facts.job_slice);
    if (facts.slice_count > 0) out.add(" of ", facts.slice_count);
  }
  out.append(", ");
  base::append_printable(out, member.kind);
  out.append(' ');
  base::append_printable(out, member.group);
  if (!member.part.empty()) {
    out.append('/');
    base::append_printable(out, member.part);
  }
  out.append(": ");
  if (slice.dims.rank() > 0) {
    out.add(slice.dims.axis(0), 'x', slice.dims.axis(1));
    if (slice.dims.rank() == 3) out.add('x', slice.dims.axis(2));
    if (!slice.accelerator.empty()) out.append(" of ");
  }
  if (slice.generation != nullptr)
    out.append(slice.accelerator);  // the catalog's
  else
    base::append_printable(out, slice.accelerator);
  if (slice.dims.rank() > 0 || !slice.accelerator.empty()) out.append(", ");
  out.add(slice.chips_per_host, " chips per host");
}

// ---- the members of a slice

outcome::Decision no_subdomain(const Around& around, Scratch& scratch) {
  scratch.notes.warn(Finding::subdomain_missing,
                     "the Pod has no spec.subdomain, so the " +
                         std::to_string(scratch.facts.slice.hosts) +
                         " hosts of the slice have no DNS names; set it to a headless Service");
  outcome::Decision decision = write_member(around, scratch);
  if (decision.outcome == outcome::Outcome::unchanged)
    decision.reason = outcome::Reason::no_subdomain;
  return decision;
}

outcome::Decision write_noted(const Around& around, Scratch& scratch) {
  identity::note_coordinator(scratch.facts, scratch.notes);
  return write_member(around, scratch);
}

outcome::Decision write_named(const Around& around, Scratch& scratch) {
  facts::Facts& facts = scratch.facts;
  if (auto named = identity::check_names(facts, scratch.checked_names, scratch.text); !named)
    return outcome::deny(outcome::Reason::bad_name, named.error());
  if (auto wrong = identity::wrong_hostname(facts, scratch.text); !wrong.empty())
    return outcome::leave_alone(Finding::name_contradicts, outcome::Reason::inconsistent,
                                std::move(wrong), scratch.notes);
  identity::note_resolving(*facts.pod, facts.ns, scratch.notes);
  facts.named = true;
  return write_noted(around, scratch);
}

outcome::Decision write_listed(const Around& around, Scratch& scratch) {
  facts::Facts& facts = scratch.facts;
  if (auto wrong = identity::wrong_hostnames(facts); !wrong.empty())
    return outcome::leave_alone(Finding::name_contradicts, outcome::Reason::inconsistent,
                                std::move(wrong), scratch.notes);
  facts.named = true;
  return write_noted(around, scratch);
}

outcome::Decision decide_settled(const Around& around, Scratch& scratch) {
  const facts::Facts& facts = scratch.facts;
  const workloads::Member& member = scratch.member;
  describe(facts, scratch.description);
  if (auto wrong = identity::wrong_coordinator(member); !wrong.empty())
    return outcome::leave_alone(Finding::coordinator_invalid, outcome::Reason::inconsistent,
                                std::move(wrong), scratch.notes);
  const bool multi_host = facts.slice.multi_host();
  if (multi_host && !member.hostnames.empty()) return write_listed(around, scratch);
  if (multi_host && member.names.stem.empty())
    return outcome::leave_alone(Finding::identity_missing, outcome::Reason::no_identity,
                                "nothing names the hosts of the slice: add annotation hostnames",
                                scratch.notes);
  if (!multi_host && (!identity::joins_others(facts) || member.subdomain.empty()))
    return write_noted(around, scratch);
  return member.subdomain.empty() ? no_subdomain(around, scratch) : write_named(around, scratch);
}

// The names that the hosts of slice 0 have, where they will have any.
Result<void> check_first_names(Scratch& scratch) {
  const workloads::Member& member = scratch.member;
  if (!member.hostnames.empty() || member.names.stem.empty() || member.subdomain.empty()) return {};
  return identity::check_names(scratch.facts, scratch.checked_names, scratch.text);
}

outcome::Decision decide_member(const Around& around, Scratch& scratch) {
  identity::Identity identity =
      identity::settle_identity(scratch.facts, scratch.member, around.cluster, around.place);
  switch (identity.verdict) {
    case identity::Identity::Verdict::settled:
      return decide_settled(around, scratch);
    case identity::Identity::Verdict::leave_alone:
      // How many hosts there are, and so which it is, follows from the chips of a node.
      if (auto* shared = scratch.notes.find(Finding::node_shared)) {
        shared->consequence = outcome::Notes::Consequence::not_injected;
        return outcome::unchanged(identity.reason);
      }
      return outcome::leave_alone(identity.finding, identity.reason,
                                  std::move(identity.why).message(), scratch.notes);
    case identity::Identity::Verdict::deny:
      return outcome::deny(identity.reason, std::move(identity.why));
    case identity::Identity::Verdict::ask_ledger:
      // A place is written down: not for what is denied once it has one.
      if (auto named = check_first_names(scratch); !named)
        return outcome::deny(outcome::Reason::bad_name, named.error());
      break;
    case identity::Identity::Verdict::try_again:
      break;
  }
  return {.outcome = outcome::Outcome::deferred,
          .reason = identity.reason,
          .denial = std::move(identity.why),
          .retry_now = identity.retry_now,
          .asks_ledger = identity.verdict == identity::Identity::Verdict::ask_ledger};
}

// ---- the order of it all

// Spot, flex-start and a reservation are three ways to get a node; the first two have a label each
// and one they share (docs/facts.md#capacity-labels).
void note_capacity(const read::Pod& pod, outcome::Notes& notes) {
  // By selector, or by required node affinity of one value.
  const bool by_affinity = pod.node_affinity.begin != pod.node_affinity.end;
  const auto asks = [&](std::string_view key) {
    const std::string_view selected = pod.selector(key);
    return selected.empty() && by_affinity ? read::pinned_value(pod, key) : selected;
  };
  const std::string_view both = asks(read::key::provisioning);
  std::string_view first, second;
  const auto selects = [&](bool one, std::string_view nodes) {
    if (one) (first.empty() ? first : second) = nodes;
  };
  selects(both == "spot" || asks(read::key::spot) == "true", "Spot nodes");
  selects(both == "flex-start" || asks(read::key::flex_start) == "true", "flex-start nodes");
  selects(!asks(read::key::reservation).empty(), "nodes of a reservation");
  if (second.empty()) return;
  notes.warn(Finding::no_such_node, "the Pod selects " + std::string(first) + " and " +
                                        std::string(second) +
                                        "; no node is both, keep one selector");
}

// A node selector that every term of the required node affinity excludes.
void note_excluded(const read::Pod& pod, outcome::Notes& notes) {
  if (pod.node_affinity.terms == read::Presence::absent) return;
  for (const std::string_view key : {read::key::topology, read::key::accelerator,
                                     read::key::node_pool, read::key::accelerator_count}) {
    const std::string_view value = pod.selector(key);
    if (value.empty() || !read::node_affinity_excludes(pod, {key, value})) continue;
    notes.warn(Finding::no_such_node,
               "the node selector asks for " + std::string(key) + "=" + base::printable(value) +
                   ", and the required node affinity for other nodes; no node is both");
    return;
  }
}

outcome::Decision decide_shape(const read::Pod& pod, std::string_view ns, const Around& around,
                               Scratch& scratch) {
  note_capacity(pod, scratch.notes);
  note_excluded(pod, scratch.notes);
  identity::SliceOrDecision found = identity::slice_of(
      scratch.shape, scratch.member, ns, around.cluster, scratch.slice, scratch.notes);
  if (auto* decision = std::get_if<outcome::Decision>(&found)) return std::move(*decision);
  begin_facts(pod, ns, std::get<topology::Slice>(found), scratch);
  return decide_member(around, scratch);
}

// A Pod for TPU nodes without chips, but with claims: they may be what it asks with.
void note_claims(const read::Pod& pod, outcome::Notes& notes) {
  if (pod.claim_uses.empty() || pod.selector(read::key::accelerator).empty()) return;
  notes.warn(
      Finding::claims_unknown,
      "the Pod selects TPU nodes, but no container asks for google.com/tpu; whether its resource "
      "claims are for chips, and for how many, is not known",
      outcome::Notes::Consequence::not_injected);
}

// Its author asks TPU webhooks for no check, and says nothing of injection: whoever asked for it
// counts on the variables (docs/facts.md#skip-tpu-webhook-check).
outcome::Decision unchecked(outcome::Decision decision, outcome::Notes& notes) {
  return outcome::leave_alone(
      *decision.finding, decision.reason,
      "not denied, because annotation cloud.google.com/skip-tpu-webhook-check is \"true\": " +
          std::string(decision.denial.text()),
      notes);
}

void begin(const config::Config& config, Scratch& scratch) {
  scratch.forget_pod();
  scratch.decided = true;
  scratch.patch.clear(config.prefix);
}

}  // namespace

outcome::Decision deny_quantity(Error why, const read::Review& review, const config::Config& config,
                                Scratch& scratch) {
  begin(config, scratch);
  outcome::Decision decision = outcome::deny(outcome::Reason::bad_quantity, std::move(why));
  decision = at_levels(std::move(decision), config, review.ns, scratch.notes);
  decision.shadow = config.mode == config::Mode::shadow;
  return decision;
}

void note_shadow(const outcome::Decision& decision, Scratch& scratch) {
  if (decision.outcome == outcome::Outcome::denied)
    scratch.notes.say("shadow mode: this Pod would have been denied: " +
                      outcome::denial_text(decision));
  if (decision.outcome == outcome::Outcome::deferred)
    scratch.notes.say("shadow mode: this Pod would have been deferred (503): " +
                      std::string(decision.denial.text()));
  if (decision.outcome == outcome::Outcome::patched)
    scratch.notes.say("shadow mode: this Pod would have been patched as " +
                      std::string(scratch.description.view()) + "; it was left unchanged");
}

outcome::Decision decide(const read::Review& review, const read::Pod& pod, const Around& around,
                         Scratch& scratch) {
  const config::Config& config = around.config;
  begin(config, scratch);
  const auto none_of_ours = [&](outcome::Reason reason) {
    return outcome::Decision{.reason = reason, .shadow = config.mode == config::Mode::shadow};
  };
  if (!review.is_pod_creation()) return none_of_ours(outcome::Reason::not_a_pod);
  const std::string_view ns = review.ns_of(pod);
  if (!facts::read_shape(pod, scratch.shape)) {
    note_claims(pod, scratch.notes);
    return at_levels(none_of_ours(outcome::Reason::no_tpu), config, ns, scratch.notes);
  }
  if (pod.annotation(read::Annotation::inject) == "false")
    return none_of_ours(outcome::Reason::opted_out);

  const workloads::Workload& workload = workloads::workload_of(pod);
  outcome::Decision decision{.reason = outcome::Reason::switched_off};
  if (config.workloads.has(workload.kind)) {
    scratch.member.workload = workload.kind;
    workload.identify({pod, ns, config, around.cluster, scratch.service}, scratch.member);
    workloads::apply_annotations(pod, ns, scratch.member);
    decision = decide_shape(pod, ns, around, scratch);
  }
  if (!scratch.notes.warnings().empty() || decision.outcome == outcome::Outcome::denied)
    decision = at_levels(std::move(decision), config, ns, scratch.notes);
  if (decision.outcome == outcome::Outcome::denied &&
      pod.annotation(read::Annotation::skip_check) == "true")
    decision = unchecked(std::move(decision), scratch.notes);
  decision.workload = workload.name;
  decision.shadow = config.mode_for(workload.kind) == config::Mode::shadow;
  return decision;
}

}  // namespace tpuwh::webhook::decide
