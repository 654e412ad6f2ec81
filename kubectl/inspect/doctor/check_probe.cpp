// Whether Pods that are created reach a replica: by what became of some that were only tried.
#include "kubectl/inspect/doctor/check.hpp"
#include "kubectl/inspect/doctor/commands.hpp"
#include "kubectl/inspect/doctor/entries.hpp"
#include "kubectl/inspect/doctor/layout.hpp"
#include "kubectl/inspect/doctor/selected.hpp"
#include "kubectl/inspect/doctor/wanted.hpp"
#include "server/text/json_text.hpp"
#include "webhook/answer/probe.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace tpuwh::server::doctor {

namespace {

using dry_run::Outcome;
using dry_run::Who;

constexpr auto probe_line = "probe";
constexpr auto other_namespace = "or name another namespace: --probe-namespace NS";

bool mentions(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

class Judge {
 public:
  Judge(const View& view, const Probe& probe, Checks& out)
      : view_(view),
        probe_(probe),
        out_(out),
        outcome_(dry_run::outcome_of(probe.answer)),
        by_(webhook::answer::probe_answer(probe.answer.warnings, probe.nonce)),
        subject_(
            fmt::format("a dry-run Pod of {} in namespace {}", probe.workload, view.probe_ns)) {}

  void judge() const {
    if (!by_.replica.empty()) return answered();
    if (probe_.answer.accepted()) return unanswered("");
    refused();
  }

 private:
  void say(Verdict verdict, const std::string& what, std::string fix) const {
    out_.push_back({verdict, probe_line, subject_ + " " + what, std::move(fix)});
  }

  bool is_patched() const {
    const Json& metadata = text::member(probe_.answer.object, "metadata");
    const Json& annotations = text::member(metadata, "annotations");
    return !text::text_member(annotations, annotation_prefix(view_) + "injected").empty();
  }

  void answered() const {
    const std::string by = fmt::format("is answered by replica {}", by_.replica);
    if (outcome_.who == Who::webhook && dry_run::is_ours(outcome_.name))
      return say(
          Verdict::fail, fmt::format("{}, which refuses it: {}", by, outcome_.words),
          "this Pod is one that works, so a setting refuses it: docs/messages.md has the id");
    if (!probe_.answer.accepted())
      return say(
          Verdict::warn,
          fmt::format("{}; whether it is changed was not seen, because afterwards {}", by,
                      dry_run::said(outcome_)),
          fmt::format("let Pods like it be created in {}, {}", view_.probe_ns, other_namespace));
    if (is_patched()) return say(Verdict::ok, by + ", and is changed", {});
    if (by_.shadow) return say(Verdict::ok, by + " in shadow mode, so it is left unchanged", {});
    say(Verdict::warn, by + ", which leaves it unchanged", "see why: " + log_of_the_program(view_));
  }

  // What is in the way between the API server and a replica, by the API server's words.
  std::string unblock(std::string_view words) const {
    if (mentions(words, "x509") || mentions(words, "tls: "))
      return "the API server does not trust the certificate: " + how_to_trust(view_);
    if (mentions(words, "deadline exceeded") || mentions(words, "timeout"))
      return "let the control plane reach the replicas: a firewall or a NetworkPolicy drops its "
             "packets, or the replicas are overloaded; `kubectl tpu doctor` names the port";
    if (mentions(words, "connection refused") || mentions(words, "no endpoints") ||
        mentions(words, "not found") || mentions(words, "no such host") ||
        mentions(words, "no route"))
      return "see which replicas are ready: " +
             kubectl(view_.ns, "get pods -l app.kubernetes.io/name=tpu-webhook");
    return "see what the replicas say: " + log_of_the_program(view_);
  }

  void refused() const {
    const bool ours = dry_run::is_ours(outcome_.name);
    if (outcome_.who == Who::webhook_failed && ours)
      return say(Verdict::fail,
                 fmt::format("is refused, because no replica is reached (blocked): entry {}, "
                             "failurePolicy Fail: {}",
                             outcome_.name, outcome_.words),
                 unblock(outcome_.words));
    if (outcome_.who == Who::webhook && ours)
      return say(Verdict::fail,
                 fmt::format("is refused by {}, which does not answer probes: {}", outcome_.name,
                             outcome_.words),
                 "upgrade the replicas, or correct the setting: docs/messages.md has the id");
    if (comes_later()) return unanswered("; afterwards " + dry_run::said(outcome_));
    if (!dry_run::was_asked(outcome_.who))
      return say(Verdict::unknown, "could not be asked about: " + dry_run::said(outcome_),
                 how_to_ask());
    say(Verdict::unknown,
        fmt::format("does not show whether a replica answers: {}", dry_run::said(outcome_)),
        fmt::format("let Pods like it be created in {}, {}", view_.probe_ns, other_namespace));
  }

  // Who looks at a Pod only when all mutating webhooks have answered.
  bool comes_later() const {
    return outcome_.who == Who::quota || outcome_.who == Who::quota_unknown ||
           outcome_.who == Who::pod_security || outcome_.who == Who::limit_range;
  }

  std::string how_to_ask() const {
    switch (outcome_.who) {
      case Who::rights:
        return fmt::format("run it as somebody who may create Pods in namespace {}, {}",
                           view_.probe_ns, other_namespace);
      case Who::no_namespace:
        return "name a namespace that exists: --probe-namespace NS";
      case Who::no_dry_run:
        return fmt::format(
            "the owner of webhook {} has to declare its sideEffects, None or NoneOnDryRun; until "
            "then no Pod that it selects can be tried",
            outcome_.name);
      case Who::credentials:
        return "log in again, or name another context: --context";
      case Who::service_account:
        return fmt::format("wait until namespace {} has its ServiceAccount, {}", view_.probe_ns,
                           other_namespace);
      default:
        return "try again";
    }
  }

  // The entry that is to get it: what its namespace is for, and its labels. A Pod reaches one.
  struct Expected {
    Json entry = nullptr;     // null: none is for this namespace, or it is not known which
    bool known = true;        // the namespace's labels decide, and are known
    bool may_ignore = false;  // one of those that may be for it has failurePolicy Ignore
  };
  Expected expected() const {
    Expected out;
    for (const Json& entry : entries_of(view_.configuration.object)) {
      if (is_of_claims(entry)) continue;
      const auto workloads = workloads_of(view_, entry);
      if (!is_shadow(entry) && std::ranges::find(workloads, probe_.workload) == workloads.end())
        continue;
      const auto sent = is_sent(view_, entry, view_.probe_ns);
      if (!sent) out.known = false;
      if (sent.value_or(true)) out.may_ignore = out.may_ignore || ignores_failures(entry);
      if (sent.value_or(false)) out.entry = entry;
    }
    return out;
  }

  // It would be stored as it was, or was refused by who comes later. `then`: that.
  void unanswered(const std::string& then) const {
    if (is_patched())
      return say(
          Verdict::warn,
          std::string("is changed by who does not answer probes, as older releases do") + then,
          "wait for the rollout, or upgrade the replicas");
    if (view_.configuration.found == Found::absent ||
        (view_.configuration.there() && entries_of(view_.configuration.object).empty()))
      return say(
          Verdict::fail,
          "is not sent to anybody: there is no MutatingWebhookConfiguration tpu-webhook with "
          "entries" +
              then,
          our_release(view_) ? put_back(view_) : install(view_));
    if (!view_.configuration.there())
      return say(Verdict::fail,
                 fmt::format("is answered by no replica: it is not selected, or, if failurePolicy "
                             "is Ignore, the way is blocked; which of the two is not known: {}{}",
                             view_.configuration.why, then),
                 "run doctor as a user with permission to get the MutatingWebhookConfiguration");
    by_policy(expected(), then);
  }

  void by_policy(const Expected& expected, const std::string& then) const {
    const auto policy = [](const Json& entry) { return text::text_member(entry, "failurePolicy"); };
    if (expected.entry.is_null() && expected.known)
      return say(Verdict::fail, "is not selected: no entry is for Pods of this namespace" + then,
                 "name a namespace whose Pods are sent: --probe-namespace NS; line `namespaces` of "
                 "`kubectl tpu doctor` says which these are");
    if (expected.entry.is_null())
      return say(Verdict::fail,
                 expected.may_ignore
                     ? "is answered by no replica: it is not selected, or the way is blocked and "
                       "failurePolicy is Ignore; the namespace's labels, which say which, were not "
                       "read" +
                           then
                     : "is not selected: each entry that could be for it has failurePolicy Fail, "
                       "so a call without an answer would have refused it" +
                           then,
                 fmt::format("let doctor get namespace {}, {}", view_.probe_ns, other_namespace));
    const std::string name = name_of(expected.entry);
    if (!ignores_failures(expected.entry))
      return say(
          Verdict::fail,
          fmt::format("is not selected: entry {} is for this namespace, and its failurePolicy "
                      "{} would have refused a Pod without an answer; its objectSelector or "
                      "its matchConditions leave the Pod out, or the replicas' release does "
                      "not answer probes{}",
                      name, policy(expected.entry), then),
          put_back(view_));
    const bool watched = is_watched(view_, expected.entry).value_or(false);
    say(watched ? Verdict::warn : Verdict::fail,
        fmt::format("is answered by no replica: entry {} is for it, and its failurePolicy Ignore "
                    "hides that the way is blocked{}{}",
                    name, watched ? "; Pods in shadow mode are created all the same" : "", then),
        unblock(""));
  }

  const View& view_;
  const Probe& probe_;
  Checks& out_;
  const Outcome outcome_;
  const webhook::answer::ProbeAnswer by_;
  const std::string subject_;
};

}  // namespace

void check_probes(const View& view, Checks& out) {
  for (const Probe& each : view.probes) Judge(view, each, out).judge();
}

}  // namespace tpuwh::server::doctor
