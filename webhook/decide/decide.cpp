#include "webhook/decide/decide.hpp"

#include "base/concat.hpp"
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

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace tpuwh::webhook::decide {

namespace {

using findings::Finding;

void begin_facts(const read::Pod& pod, std::string_view ns, const topology::Slice& slice,
                 Told& told) {
  told.facts.pod = &pod;
  told.facts.shape = &told.shape;
  told.facts.member = &told.member;
  told.before.parse(pod.annotation(read::Annotation::injected));
  told.facts.before = &told.before;
  told.facts.ns = ns;
  told.facts.slice = slice;
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

// ---- the names of its hosts

// Nothing where it gets what it gets, with names that were checked or without; else why not. A Pod
// that waits for nobody needs none.
std::optional<outcome::Decision> settle_names(Kept& kept, Told& told) {
  facts::Facts& facts = told.facts;
  const workloads::Member& member = told.member;
  const bool multi_host = facts.slice.multi_host();
  if (auto wrong = identity::wrong_coordinator(member); !wrong.empty())
    return outcome::leave_alone(Finding::coordinator_invalid, outcome::Reason::inconsistent,
                                std::move(wrong), told.notes);
  if (multi_host && !member.hostnames.empty()) {
    if (auto wrong = identity::wrong_hostnames(facts); !wrong.empty())
      return outcome::leave_alone(Finding::name_contradicts, outcome::Reason::inconsistent,
                                  std::move(wrong), told.notes);
    facts.named = true;
  } else if (multi_host && member.names.stem.empty()) {
    return outcome::leave_alone(Finding::identity_missing, outcome::Reason::no_identity,
                                "nothing names the hosts of the slice: add annotation hostnames",
                                told.notes);
  } else if (!member.subdomain.empty() && (multi_host || identity::joins_slices(facts))) {
    if (auto named = identity::check_names(facts, kept.checked_names, kept.text); !named)
      return outcome::deny(outcome::Reason::bad_name, named.error());
    if (auto wrong = identity::wrong_hostname(facts, kept.text); !wrong.empty())
      return outcome::leave_alone(Finding::name_contradicts, outcome::Reason::inconsistent,
                                  std::move(wrong), told.notes);
    identity::note_resolving(*facts.pod, facts.ns, told.notes);
    facts.named = true;
  } else if (multi_host) {
    told.notes.warn(Finding::subdomain_missing,
                    "the Pod has no spec.subdomain, so the " + std::to_string(facts.slice.hosts) +
                        " hosts of the slice have no DNS names; set it to a headless Service");
    return std::nullopt;
  }
  identity::note_coordinator(facts, told.notes);
  return std::nullopt;
}

// The names that the hosts of slice 0 have, where they will have any.
Result<void> check_first_names(Kept& kept, Told& told) {
  const workloads::Member& member = told.member;
  if (!member.hostnames.empty() || member.names.stem.empty() || member.subdomain.empty()) return {};
  return identity::check_names(told.facts, kept.checked_names, kept.text);
}

// ---- which host it is, where that is not settled

outcome::Decision not_settled(identity::Identity identity, Kept& kept, Told& told) {
  using Verdict = identity::Identity::Verdict;
  if (identity.verdict == Verdict::deny)
    return outcome::deny(identity.reason, std::move(identity.why));
  if (identity.verdict == Verdict::leave_alone) {
    // How many hosts there are, and so which it is, follows from the chips of a node.
    if (auto* shared = told.notes.find(Finding::node_shared)) {
      shared->consequence = outcome::Notes::Consequence::not_injected;
      return outcome::unchanged(identity.reason);
    }
    return outcome::leave_alone(identity.finding, identity.reason,
                                std::move(identity.why).message(), told.notes);
  }
  const bool asks = identity.verdict == Verdict::ask_ledger;
  // A place is written down: not for what is denied once it has one.
  if (asks)
    if (auto named = check_first_names(kept, told); !named)
      return outcome::deny(outcome::Reason::bad_name, named.error());
  return {.outcome = outcome::Outcome::deferred,
          .reason = identity.reason,
          .denial = std::move(identity.why),
          .retry_now = identity.retry_now,
          .asks_ledger = asks};
}

// ---- what it asks for

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
                   ", and the required node affinity for other nodes; no node matches both");
    return;
  }
}

// Warns of a Pod without known chips whose claims certainly ask for chips, or may ask for chips
// because the Pod selects TPU nodes. There is no warning about a resource whose class is not known.
void note_claims(const read::Pod& pod, const read::TakenClaims& claims, outcome::Notes& notes) {
  using NotCounted = read::TakenClaims::NotCounted;
  constexpr auto nothing = outcome::Notes::Consequence::not_injected;
  if (claims.not_counted == NotCounted::chips)
    return notes.warn(Finding::claims_unknown, claims.why, nothing);
  if (claims.not_counted == NotCounted::nothing || (pod.claims.empty() && claims.why.empty()) ||
      pod.selector(read::key::accelerator).empty())
    return;
  notes.warn(Finding::claims_unknown,
             base::concat({"the Pod selects TPU nodes, but no container asks for google.com/tpu; "
                           "whether its resource claims are for chips, and for how many, is not "
                           "known",
                           claims.why.empty() ? "" : ": ", claims.why}),
             nothing);
}

// Which of several kinds of chips it will have, nobody knows before it is scheduled.
void note_alternatives(const read::TakenClaims& claims, outcome::Notes& notes) {
  if (!claims.alternatives) return;
  notes.warn(Finding::claims_unknown,
             "a resource claim of the Pod asks for the first available of several; which of them "
             "it gets is not known, and what is injected is what all have in common");
}

// A claim is allocated once, and its chips are on one node. Of a Pod that somebody wrote, not a
// controller from a template, no other has the same claim.
void note_named(std::string_view claim, const facts::Facts& facts, outcome::Notes& notes) {
  if (claim.empty() || !facts.slice.multi_host() ||
      facts.member->workload == config::WorkloadKind::pod)
    return;
  notes.warn(Finding::claim_named,
             base::concat({"the Pod asks for its chips by ResourceClaim ", base::printable(claim),
                           ", which is one node's: hosts of a slice that name the same claim share "
                           "the chips of that node, and the slice never forms; name a "
                           "ResourceClaimTemplate"}));
}

// What the driver of claims takes the Pod's node to be, and so what it writes over the variables of
// the Pod (docs/facts.md#dra): right where the Pod selects its nodes by the topology of the slice.
void note_driver(const Around& around, const facts::Facts& facts, outcome::Notes& notes) {
  const facts::Shape& shape = *facts.shape;
  if (std::ranges::none_of(shape.processes, &read::Container::by_claim)) return;
  if (around.claims != nullptr) note_named(around.claims->named, facts, notes);
  const std::string slice = facts.slice.dims.text();
  switch (shape.source) {
    case facts::TopologySource::node_selector:
    case facts::TopologySource::node_affinity:
    case facts::TopologySource::claim:  // by what the driver says of the node itself
      return;
    case facts::TopologySource::sub_slice_annotation:
      if (shape.topology == shape.selector_topology) return;
      [[fallthrough]];
    case facts::TopologySource::slice_id_key:
      return notes.warn(Finding::driver_decides,
                        "the Pod asks for its chips by claim, and their driver knows no "
                        "sub-slices: it writes the topology and the bounds of the whole slice that "
                        "a node is part of, in place of those of " +
                            slice + "; ask for google.com/tpu");
    case facts::TopologySource::annotation:
    case facts::TopologySource::none:
      break;
  }
  if (!facts.slice.multi_host()) return;
  notes.warn(Finding::driver_decides,
             "the Pod asks for its chips by claim, and no node selector says their topology; on a "
             "node whose topology it does not know, their driver writes TPU_WORKER_ID=0 and "
             "TPU_WORKER_HOSTNAMES=localhost over what is injected, and whether it knows it is not "
             "known");
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

// ---- the order of it all

// As docs/architecture.md draws it, each stage with its early return: whose it is, which slice it
// asks for, which host of it, which names, and what is written.
outcome::Decision decide_pod(const read::Pod& pod, std::string_view ns, const Around& around,
                             const workloads::Workload& workload, Kept& kept, Told& told) {
  if (!around.config.workloads.has(workload.kind))
    return outcome::unchanged(outcome::Reason::switched_off);
  told.member.workload = workload.kind;
  workload.identify({pod, ns, around.config, around.cluster, kept.service}, told.member);
  workloads::apply_annotations(pod, ns, told.member);
  note_capacity(pod, told.notes);
  note_excluded(pod, told.notes);

  identity::SliceOrDecision slice =
      identity::slice_of(told.shape, told.member, ns, around.cluster, kept.slice, told.notes);
  if (auto* decision = std::get_if<outcome::Decision>(&slice)) return std::move(*decision);
  begin_facts(pod, ns, std::get<topology::Slice>(slice), told);
  note_driver(around, told.facts, told.notes);

  identity::Identity identity =
      identity::settle_identity(told.facts, told.member, around.cluster, around.place);
  if (identity.verdict != identity::Identity::Verdict::settled)
    return not_settled(std::move(identity), kept, told);
  describe(told.facts, told.description);

  if (auto decision = settle_names(kept, told)) return *std::move(decision);
  outcome::Decision decision = write_member(around, kept, told);
  const bool nameless = told.facts.slice.multi_host() && !told.facts.named;
  if (nameless && decision.outcome == outcome::Outcome::unchanged)
    decision.reason = outcome::Reason::no_subdomain;
  return decision;
}

void begin(const config::Config& config, Told& told) {
  told.clear();
  told.decided = true;
  told.patch.clear(config.prefix);
}

}  // namespace

outcome::Decision deny_quantity(Error why, const read::Review& review, const config::Config& config,
                                Told& told) {
  begin(config, told);
  outcome::Decision decision = outcome::deny(outcome::Reason::bad_quantity, std::move(why));
  decision = at_levels(std::move(decision), config, review.ns, told.notes);
  decision.shadow = config.mode == config::Mode::shadow;
  return decision;
}

bool waits_for_claims(const read::Review& review, const read::Pod& pod,
                      const config::Config& config) {
  return review.is_pod_creation() && pod.annotation(read::Annotation::inject) != "false" &&
         config.workloads.has(workloads::workload_of(pod).kind);
}

bool is_shadowed(const read::Pod& pod, const config::Config& config) {
  return config.mode_for(workloads::workload_of(pod).kind) == config::Mode::shadow;
}

outcome::Decision defer_for_claims(const read::Pod& pod, const Around& around, Told& told) {
  begin(around.config, told);
  const workloads::Workload& workload = workloads::workload_of(pod);
  return {.outcome = outcome::Outcome::deferred,
          .reason = outcome::Reason::no_claim,
          .workload = workload.name,
          .denial = Error(base::Errc::internal, around.claims->unreadable),
          .shadow = is_shadowed(pod, around.config),
          .retry_now = around.claims->again};
}

void note_shadow(const outcome::Decision& decision, Told& told) {
  if (decision.outcome == outcome::Outcome::denied)
    told.notes.say(base::concat(
        {outcome::in_shadow, "this Pod would have been denied: ", outcome::denial_text(decision)}));
  if (decision.outcome == outcome::Outcome::deferred)
    told.notes.say(base::concat(
        {outcome::in_shadow, "this Pod would have been deferred (503): ", decision.denial.text()}));
  if (decision.outcome == outcome::Outcome::patched)
    told.notes.say(base::concat({outcome::in_shadow, "this Pod would have been patched as ",
                                 told.description.view(), "; it was left unchanged"}));
}

outcome::Decision decide(const read::Review& review, const read::Pod& pod, const Around& around,
                         Kept& kept, Told& told) {
  const config::Config& config = around.config;
  begin(config, told);
  const auto none_of_ours = [&](outcome::Reason reason) {
    return outcome::Decision{.reason = reason, .shadow = config.mode == config::Mode::shadow};
  };
  if (!review.is_pod_creation()) return none_of_ours(outcome::Reason::not_a_pod);
  const std::string_view ns = review.ns_of(pod);
  if (!facts::read_shape(pod, told.shape)) {
    if (around.claims != nullptr) note_claims(pod, *around.claims, told.notes);
    return at_levels(none_of_ours(outcome::Reason::no_tpu), config, ns, told.notes);
  }
  if (pod.annotation(read::Annotation::inject) == "false")
    return none_of_ours(outcome::Reason::opted_out);
  if (around.claims != nullptr) {
    facts::take_claims(*around.claims, told.shape);
    note_alternatives(*around.claims, told.notes);
  }

  const workloads::Workload& workload = workloads::workload_of(pod);
  outcome::Decision decision = decide_pod(pod, ns, around, workload, kept, told);
  if (!told.notes.warnings().empty() || decision.outcome == outcome::Outcome::denied)
    decision = at_levels(std::move(decision), config, ns, told.notes);
  if (decision.outcome == outcome::Outcome::denied &&
      pod.annotation(read::Annotation::skip_check) == "true")
    decision = unchecked(std::move(decision), told.notes);
  decision.workload = workload.name;
  decision.shadow = config.mode_for(workload.kind) == config::Mode::shadow;
  return decision;
}

}  // namespace tpuwh::webhook::decide
