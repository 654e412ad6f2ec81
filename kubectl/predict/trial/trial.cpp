#include "kubectl/predict/trial/trial.hpp"

#include "base/counted.hpp"
#include "base/edits.hpp"
#include "kubectl/objects/json_path.hpp"
#include "kubectl/objects/object.hpp"
#include "kubectl/predict/trial/amounts.hpp"
#include "kubectl/predict/trial/difference.hpp"
#include "kubectl/predict/trial/plan.hpp"
#include "kubectl/predict/trial/quota.hpp"
#include "server/text/json_text.hpp"
#include "webhook/answer/probe.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace tpuwh::server::trial {

namespace {

using dry_run::Outcome;
using dry_run::Who;
using objects::at;

// The Service is taken that is there, also by whoever would make one.
constexpr const char* taken_as_it_is = "one of this name exists, and is taken as it is";

const std::string lacks_right =
    "the permission to create it is missing, which its controller needs, and you do not: ";

class Trial {
 public:
  Trial(const TrialRequest& request, const Samples& samples, const Asking& asking)
      : request_(request), samples_(samples), asking_(asking) {}

  std::vector<Tried> run() {
    const Plan plan = plan_of(request_.manifests, request_.rules, request_.ns);
    for (const Planned& each : plan.objects) try_object(each);
    if (!plan.not_sent.empty())
      out_.push_back({.what = fmt::format("{}", fmt::join(plan.not_sent, ", ")),
                      .said = Said::not_asked,
                      .sentence = "objects of these kinds are not sent"});
    for (const Sample& each : samples_.list()) try_pod(each);
    for (const auto& [ns, demands] : demands_) sum_up(ns, demands);
    for (Tried& each : out_) show_made_up(plan.made_up, each);
    return std::move(out_);
  }

 private:
  void try_object(const Planned& planned) {
    const std::string& ns = planned.resource.ns;
    Tried tried{.what = planned.who};
    if (planned.count > 1) tried.what += fmt::format(" (first of {})", planned.count);
    if (!planned.maker.empty()) tried.what += " of " + planned.maker;
    const dry_run::Answer answer = asking_.create(planned.resource, planned.object);
    const Outcome outcome = dry_run::outcome_of(answer);
    if (planned.maker.empty())
      judge(outcome, ns, planned.object, tried);
    else
      judge_made(planned, outcome, tried);
    if (outcome.who == Who::exists || there_.contains(planned.root))
      there_.insert(planned.who);
    else
      demands_[ns].push_back({.kind = text::text_member(planned.object, "kind"),
                              .object = Json(),
                              .each = amounts_of_object(planned.object, planned.resource),
                              .count = planned.count,
                              .counted = outcome.who == Who::nobody || outcome.who == Who::quota});
    out_.push_back(std::move(tried));
  }

  // What a controller sends, who has rights of its own, and an owner that is stored by then.
  void judge_made(const Planned& planned, const Outcome& outcome, Tried& tried) const {
    const std::string& ns = planned.resource.ns;
    if (outcome.who == Who::rights || outcome.who == Who::not_served) {
      tried.said = Said::not_asked;
      tried.sentence =
          outcome.who == Who::rights ? lacks_right + outcome.words : dry_run::said(outcome);
    } else if (outcome.who == Who::exists && planned.may_exist) {
      tried.said = Said::not_asked;
      tried.sentence = taken_as_it_is;
    } else if (may_miss_owner(outcome.who)) {
      judge_without_owner(planned, outcome, tried);
    } else {
      judge(outcome, ns, planned.object, tried);
    }
  }

  static bool may_miss_owner(Who who) {
    return who == Who::webhook || who == Who::policy || who == Who::owner_references;
  }

  // A webhook that looks for the owner does not find it, and says so in its own words: so it is
  // asked again about the object alone.
  void judge_without_owner(const Planned& planned, const Outcome& outcome, Tried& tried) const {
    Json alone = planned.object;
    Json& metadata = alone["metadata"];
    if (!metadata.is_object() || metadata.erase("ownerReferences") == 0)
      return judge(outcome, planned.resource.ns, planned.object, tried);
    const Outcome second = dry_run::outcome_of(asking_.create(planned.resource, alone));
    if (second.who != Who::nobody)
      return judge(dry_run::was_asked(second.who) ? second : outcome, planned.resource.ns,
                   planned.object, tried);
    tried.said = Said::not_asked;
    tried.sentence =
        fmt::format("without its owner, which is not stored, it is admitted; with it, {}",
                    dry_run::said(outcome));
  }

  void try_pod(const Sample& sample) {
    Tried tried{.what = fmt::format("{} of {} {}/{}",
                                    sample.alike == 1 ? "Pod" : base::counted(sample.alike, "Pod"),
                                    sample.kind, sample.ns, sample.owner)};
    if (sample.kind == "Pod") tried.what = fmt::format("Pod {}/{}", sample.ns, sample.owner);
    if (std::string why = cannot_be_asked(sample); !why.empty()) {
      tried.said = Said::not_asked;
      tried.sentence = std::move(why);
      out_.push_back(std::move(tried));
      return demand(sample, sample.pod, false);
    }
    Json pod = sample.pod;
    pod["apiVersion"] = "v1";
    pod["kind"] = "Pod";
    pod["metadata"]["namespace"] = sample.ns;
    pod["metadata"]["annotations"][request_.prefix + "probe"] = request_.nonce;
    const dry_run::Answer answer = asking_.create({"", "v1", "pods", sample.ns}, pod);
    const Outcome outcome = dry_run::outcome_of(answer);
    judge(outcome, sample.ns, sample.pod, tried);
    if (tried.said == Said::accepted) compare(answer, sample, tried);
    if (outcome.who != Who::exists)
      demand(sample, tried.said == Said::accepted ? answer.object : sample.pod,
             tried.said == Said::accepted || outcome.who == Who::quota);
    out_.push_back(std::move(tried));
  }

  // Of what exists, a quota counts the Pods already.
  void demand(const Sample& sample, const Json& pod, bool counted) {
    if (there_.contains(who_is(sample.kind, sample.ns, sample.owner))) return;
    demands_[sample.ns].push_back({.kind = "Pod",
                                   .object = pod,
                                   .each = amounts_of_pod(pod),
                                   .count = sample.alike,
                                   .counted = counted});
  }

  // What is known before: that a dry run of it says nothing of what will be.
  static std::string cannot_be_asked(const Sample& sample) {
    using webhook::read::Annotation, webhook::read::Label;
    if (objects::label(sample.pod, Label::ray_node_type) == "worker" &&
        objects::label(sample.pod, Label::ray_replica_index).empty())
      return "a Ray worker without index labels gets its id when its RayCluster is stored";
    const std::string index = objects::annotation(sample.pod, Annotation::job_completion_index);
    if (!objects::annotation(sample.pod, Annotation::jobset_exclusive).empty() && !index.empty() &&
        index != "0")
      return "JobSet refuses a follower until its leader is bound to a node";
    return {};
  }

  bool stands_in_input(std::string_view kind, const std::string& name,
                       const std::string& ns) const {
    return std::ranges::any_of(request_.manifests, [&](const source::Manifest& each) {
      return text::text_member(each.object, "kind") == kind &&
             objects::shown_name(each.object) == name &&
             (ns.empty() || objects::namespace_of(each.object, request_.ns) == ns);
    });
  }

  // What is missing and comes with the same input.
  std::string comes_with_input(const Outcome& outcome, const std::string& ns,
                               const Json& object) const {
    if (outcome.who == Who::no_namespace && stands_in_input("Namespace", ns, ""))
      return fmt::format("Namespace {} stands in the input, and is not there yet", ns);
    if (outcome.who == Who::service_account) {
      std::string account = text::text_member(at(object, {"spec"}), "serviceAccountName");
      if (account.empty()) account = "default";
      if (stands_in_input("ServiceAccount", account, ns))
        return fmt::format("ServiceAccount {} stands in the input, and is not there yet", account);
    }
    if (outcome.who == Who::priority_class && stands_in_input("PriorityClass", outcome.name, ""))
      return fmt::format("PriorityClass {} stands in the input, and is not there yet",
                         outcome.name);
    return {};
  }

  // Without an account or a namespace it is refused, unless these come with the input.
  static bool is_refused(Who who) {
    return dry_run::was_asked(who) || who == Who::no_namespace || who == Who::service_account ||
           who == Who::not_served;
  }

  void judge(const Outcome& outcome, const std::string& ns, const Json& object,
             Tried& tried) const {
    if (outcome.who == Who::nobody) return;
    tried.sentence = comes_with_input(outcome, ns, object);
    tried.said =
        tried.sentence.empty() && is_refused(outcome.who) ? Said::refused : Said::not_asked;
    if (tried.sentence.empty()) tried.sentence = dry_run::said(outcome);
  }

  void compare(const dry_run::Answer& answer, const Sample& sample, Tried& tried) const {
    const auto [replica, shadow] = webhook::answer::probe_answer(answer.warnings, request_.nonce);
    if (replica.empty()) {
      tried.sentence = "no replica of tpu-webhook answered: kubectl tpu doctor --probe";
    } else if (shadow) {
      tried.sentence = fmt::format("replica {} is in shadow mode and changes nothing", replica);
    } else if (sample.ours.is_null()) {
      tried.sentence = fmt::format("replica {} admits it", replica);
      tried.differs = {"it is admitted, and refused by this program"};
    } else {
      tried.differs = differences(answer.object, sample.ours, request_.prefix);
      tried.sentence = fmt::format(
          "replica {} answers {}", replica,
          tried.differs.empty() ? "as this program does" : "otherwise than this program");
    }
  }

  // Each fits by itself, and all of them may not.
  void sum_up(const std::string& ns, const std::vector<Demand>& demands) {
    const auto quotas = asking_.quotas(ns);
    if (!quotas)
      return out_.push_back({.what = fmt::format("all objects of namespace {} together", ns),
                             .said = Said::not_asked,
                             .sentence = "the ResourceQuotas of the namespace may not be read"});
    for (const Exceeded& each : exceeded(*quotas, demands))
      out_.push_back({.what = fmt::format("{} of namespace {}", each.what, ns),
                      .said = Said::refused,
                      .sentence = each.sentence});
  }

  static void show_made_up(const std::vector<expand::MadeUpName>& names, Tried& tried) {
    for (const auto& [name, shown] : names) {
      base::replace_all(tried.what, name, shown);
      base::replace_all(tried.sentence, name, shown);
    }
  }

  const TrialRequest& request_;
  const Samples& samples_;
  const Asking& asking_;
  std::vector<Tried> out_;
  std::set<std::string> there_;  // Planned::who of what exists, and of what comes of that
  std::map<std::string, std::vector<Demand>> demands_;  // by namespace
};

}  // namespace

const char* name(Said said) {
  return said == Said::accepted ? "accepted" : said == Said::refused ? "refused" : "notAsked";
}

std::string words(const Tried& tried) {
  const std::string_view said = tried.said == Said::refused     ? "refused"
                                : tried.said == Said::not_asked ? "could not be asked"
                                                                : "admitted";
  return fmt::format("{}: {}{}{}", tried.what, said, tried.sentence.empty() ? "" : ": ",
                     tried.sentence);
}

std::vector<Tried> run_trial(const TrialRequest& request, const Samples& samples,
                             const Asking& asking) {
  return Trial(request, samples, asking).run();
}

}  // namespace tpuwh::server::trial
