#include "webhook/validate/validate.hpp"

#include "base/concat.hpp"
#include "base/names.hpp"
#include "base/result.hpp"
#include "webhook/answer/respond.hpp"
#include "webhook/answer/workspace.hpp"
#include "webhook/validate/apps.hpp"
#include "webhook/validate/job.hpp"
#include "webhook/validate/jobset.hpp"
#include "webhook/validate/lws.hpp"
#include "webhook/validate/plain.hpp"
#include "webhook/validate/ray.hpp"
#include "webhook/workloads/table.hpp"

#include <algorithm>
#include <string>

namespace tpuwh::webhook::validate {

namespace {

struct Check {
  std::string_view kind;
  bool (*check)(Checker&, base::json::Reader::Mark spec);
};

// The check functions of the kinds that check_plain() does not check.
constexpr Check checks[] = {
    {"RayCluster", check_ray_cluster},
    {"RayJob", check_ray_job},
    {"RayService", check_ray_service},
    {"JobSet", check_jobset},
    {"Job", check_job},
    {"CronJob", check_cron_job},
    {"Deployment", check_deployment},
    {"StatefulSet", check_statefulset},
    {"LeaderWorkerSet", check_leader_worker_set},
};

using Kind = workloads::Checked;

std::optional<Kind> kind_of(const read::Review& review) {
  if (!review.has_object || !review.sub_resource.empty()) return std::nullopt;
  if (review.operation != "CREATE" && review.operation != "UPDATE") return std::nullopt;
  return workloads::find_object(review.kind_group, review.kind);
}

bool check(const Kind& kind, Checker& checker, base::json::Reader::Mark spec) {
  if (kind.object->maker != nullptr) return check_plain(checker, spec, *kind.object);
  return std::ranges::find(checks, kind.object->kind, &Check::kind)->check(checker, spec);
}

// The new or the old object of a review, and its findings.
struct Examined {
  Examined(const config::Config& config, std::string_view ns) : findings(config, ns) {}
  WorkloadObject object;
  Findings findings;
};

// The configuration and the view of the cluster with which a review is answered.
struct Question {
  const config::Config& config;
  const read::ClusterView& cluster;
};

// False where it cannot be read: the reader says why.
bool examine(const Kind& kind, base::json::Reader::Mark place, const Question& question,
             answer::Workspace::Impl& work, Examined& out) {
  base::json::Reader& in = work.reader;
  in.go_to(place);
  if (!read_object(in, out.object)) return false;
  Checker checker(out.object, question.config, question.cluster, work, out.findings);
  if (check(kind, checker, out.object.spec)) {
    checker.finish();
    return true;
  }
  in.within("spec");
  return false;
}

constexpr std::string_view already_like_this =
    "allowed, because the object was already like this: ";

bool is_made_by_checked(const WorkloadObject& object) {
  const std::string_view group = object.owner_version.substr(0, object.owner_version.find('/'));
  return workloads::find_object(group, object.owner_kind).has_value();
}

// Turns faults into warnings in two cases. First, if the object's owner is of a kind that is also
// checked, all faults become warnings. Second, in an update, the faults that the old object also
// has become warnings, or all faults if the old object cannot be read.
void settle(const Kind& kind, const Question& question, answer::Workspace::Impl& work,
            Examined& now) {
  Findings& findings = now.findings;
  if (findings.faults().empty()) return;
  if (is_made_by_checked(now.object))
    findings.soften(base::concat({"allowed despite this fault, because the ", now.object.owner_kind,
                                  " controller created the object: "}));
  const bool updated = bool(work.review.old_object);
  Examined before(question.config, work.review.ns);
  const bool readable = updated && examine(kind, work.review.old_object, question, work, before);
  if (readable)
    findings.soften_old(before.findings, std::string(already_like_this));
  else if (updated)
    findings.soften(std::string(already_like_this));
}

// Returns the answer with this decision and with the warnings in `work.told.notes`.
answer::Answer respond_with(const outcome::Decision& decision, answer::Workspace::Impl& work) {
  work.told.description.clear();
  answer::respond(work.review, decision, work.told, work.answer);
  answer::Answer answer;
  answer.body = work.answer.view();
  answer.summary = answer::summary_of(work.review, decision);
  return answer;
}

answer::Answer respond_allowed(outcome::Reason reason, std::string_view workload,
                               answer::Workspace::Impl& work) {
  work.told.notes.clear();
  return respond_with({.reason = reason, .workload = workload}, work);
}

void take_warnings(const FoundList& all, outcome::Notes& notes) {
  for (std::size_t i = 0; i < std::min(max_told, all.size()); ++i)
    notes.warn(all[i].finding, all[i].sentence);
  if (all.size() <= max_told) return;
  const std::size_t more = all.size() - max_told;
  notes.say(and_more(more) + (more == 1 ? " warning" : " warnings"));
}

// A warning by default, which the configuration refuses, is not a slice that could never start.
bool never_works(const FoundList& faults) {
  return std::ranges::all_of(faults.in_order(), [](const Found* each) {
    return findings::row(each->finding).level == Level::deny;
  });
}

std::string verdict(const Kind& kind, const WorkloadObject& object, const FoundList& faults) {
  const std::string who = std::string(kind.object->kind) + ' ' + base::printable(object.name, 100);
  return (never_works(faults) ? "slices of " + who + " could never start: "
                              : who + " is refused by the configuration: ") +
         joined(faults);
}

answer::Answer respond_found(const Kind& kind, const Examined& found, const config::Config& config,
                             answer::Workspace::Impl& work) {
  const auto& faults = found.findings.faults();
  outcome::Notes& notes = work.told.notes;
  notes.clear();
  outcome::Decision decision{
      .reason = outcome::Reason::checked,
      .workload = kind.workload->name,
      .shadow = config.mode_for(kind.workload->kind) == config::Mode::shadow};
  if (!faults.empty()) {
    decision.outcome = outcome::Outcome::denied;
    decision.reason =
        never_works(faults) ? outcome::Reason::never_works : outcome::Reason::forbidden;
    decision.denial = bad_value(verdict(kind, found.object, faults));
    if (decision.shadow)
      notes.say(base::concat(
          {outcome::in_shadow, "it would have been denied: ", decision.denial.text()}));
  }
  take_warnings(found.findings.warnings(), notes);
  answer::Answer answer = respond_with(decision, work);
  work.owner.clear();
  work.owner.add(kind.object->kind, '/', found.object.name);
  answer.summary.owner = work.owner.view();
  return answer;
}

answer::Answer answer_object(read::Body body, const Question& question,
                             answer::Workspace::Impl& work) {
  const config::Config& config = question.config;
  if (!read::read_envelope(body.bytes(), work.reader, work.review))
    return answer::refuse(work.reader.error(), work);
  const auto kind = kind_of(work.review);
  if (!kind) return respond_allowed(outcome::Reason::not_a_pod, {}, work);
  if (!config.workloads.has(kind->workload->kind))
    return respond_allowed(outcome::Reason::switched_off, kind->workload->name, work);
  Examined now(config, work.review.ns);
  if (!examine(*kind, work.review.object, question, work, now)) {
    work.reader.within("request.object");
    return answer::refuse(work.reader.error(), work);
  }
  settle(*kind, question, work, now);
  return respond_found(*kind, now, config, work);
}

// Cuts `start` before its first object, so that the rest is a review without an object. Another
// member may have the key of an object, too, so a cut counts only if the rest can be read. Returns
// whether such a cut was found.
bool cut_before_object(std::string& start, answer::Workspace::Impl& work) {
  constexpr std::string_view key = ",\"object\":";
  constexpr int most_tries = 8;
  const std::string whole = start;
  std::size_t at = whole.find(key);
  for (int i = 0; i < most_tries && at != std::string::npos; ++i, at = whole.find(key, at + 1)) {
    start.assign(whole, 0, at).append("}}");
    work.begin();
    if (read::read_envelope(read::Body(start).bytes(), work.reader, work.review)) return true;
  }
  return false;
}

}  // namespace

std::optional<answer::Answer> allow_unchecked(std::string& start,
                                              answer::Workspace& workspace) noexcept {
  answer::Workspace::Impl& work = workspace.impl();
  bool readable = false;
  const answer::Answer answer = answer::never_throwing(work, [&]() -> answer::Answer {
    readable = cut_before_object(start, work);
    if (!readable) return {};
    work.told.notes.clear();
    work.told.notes.say(
        base::concat({"this object was not checked: its review is larger than ",
                      std::to_string(read::max_review_bytes), " bytes, the most that is read"}));
    return respond_with({.reason = outcome::Reason::too_large}, work);
  });
  return readable ? std::optional(answer) : std::nullopt;
}

answer::Answer validate(read::Body review, const config::Config& config,
                        const read::ClusterView& cluster, answer::Workspace& workspace) noexcept {
  answer::Workspace::Impl& work = workspace.impl();
  work.begin();
  return answer::never_throwing(work, [&] {
    return answer_object(review, {config, cluster}, work);
  });
}

std::vector<Found> faults_of(read::Body review, const config::Config& config,
                             const read::ClusterView& cluster, answer::Workspace& workspace) {
  answer::Workspace::Impl& work = workspace.impl();
  work.begin();
  if (!read::read_envelope(review.bytes(), work.reader, work.review)) return {};
  const auto kind = kind_of(work.review);
  if (!kind || !config.workloads.has(kind->workload->kind)) return {};
  const Question question{config, cluster};
  Examined now(config, work.review.ns);
  if (!examine(*kind, work.review.object, question, work, now)) return {};
  settle(*kind, question, work, now);
  std::vector<Found> out;
  for (const Found* fault : now.findings.faults().in_order()) out.push_back(*fault);
  return out;
}

}  // namespace tpuwh::webhook::validate
