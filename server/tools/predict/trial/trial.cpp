#include "server/tools/predict/trial/trial.hpp"

#include "base/counted.hpp"
#include "server/text/json_text.hpp"
#include "server/tools/objects/api_version.hpp"
#include "server/tools/objects/json_path.hpp"
#include "server/tools/objects/object.hpp"
#include "server/tools/predict/trial/difference.hpp"
#include "server/tools/predict/trial/quota.hpp"
#include "webhook/answer/probe.hpp"
#include "webhook/workloads/table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <utility>

namespace tpuwh::server::trial {

namespace {

using dry_run::Outcome;
using dry_run::Who;
using objects::at;

// The collection that it is created in; nothing for a kind whose plural is not known.
std::optional<kube::client::Resource> resource_of(const Json& object, const std::string& ns) {
  const std::string api_version = text::text_member(object, "apiVersion");
  const std::string kind = text::text_member(object, "kind");
  const objects::ApiVersion of = objects::split_api_version(api_version);
  const auto in = [&](std::string plural) {
    return kube::client::Resource{std::string(of.group), std::string(of.version), std::move(plural),
                                  objects::namespace_of(object, ns)};
  };
  if (of.group.empty() && kind == "Pod") return in("pods");
  if (of.group.empty() && kind == "Service") return in("services");
  if (of.group == "apps" && kind == "ReplicaSet") return in("replicasets");
  const auto checked = webhook::workloads::find_object(of.group, kind);
  if (!checked) return std::nullopt;
  return in(std::string(checked->object->resource));
}

class Trial {
 public:
  Trial(const TrialRequest& request, const Samples& samples, const Asking& asking)
      : request_(request), samples_(samples), asking_(asking) {}

  std::vector<Tried> run() {
    for (const source::Manifest& each : request_.manifests)
      if (!each.origin) try_object(each.object);
    if (!others_.empty())
      out_.push_back({.what = fmt::format("{}", fmt::join(others_, ", ")),
                      .said = Said::not_asked,
                      .sentence = "objects of these kinds are not sent"});
    for (const Sample& each : samples_.list()) try_pod(each);
    for (const auto& [ns, sums] : samples_.sums()) sum_up(ns, sums);
    return std::move(out_);
  }

 private:
  void try_object(const Json& object) {
    const std::string kind = text::text_member(object, "kind");
    if (kind == "Pod") return;  // it is among the Pods
    const auto resource = resource_of(object, request_.ns);
    if (!resource) {
      others_.insert(kind);
      return;
    }
    Tried tried{.what = fmt::format("{} {}/{}", kind, resource->ns, objects::shown_name(object))};
    Json sent = object;
    sent["metadata"]["namespace"] = resource->ns;
    judge(dry_run::outcome_of(asking_.create(*resource, sent)), resource->ns, object, tried);
    out_.push_back(std::move(tried));
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
      return;
    }
    Json pod = sample.pod;
    pod["apiVersion"] = "v1";
    pod["kind"] = "Pod";
    pod["metadata"]["namespace"] = sample.ns;
    pod["metadata"]["annotations"][request_.prefix + "probe"] = request_.nonce;
    const dry_run::Answer answer = asking_.create({"", "v1", "pods", sample.ns}, pod);
    judge(dry_run::outcome_of(answer), sample.ns, sample.pod, tried);
    if (tried.said == Said::accepted) compare(answer, sample, tried);
    out_.push_back(std::move(tried));
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
  void sum_up(const std::string& ns, const Amounts& sums) {
    const auto quotas = asking_.quotas(ns);
    const auto pods = static_cast<std::uint64_t>(sums.at("pods"));
    const std::string what = fmt::format("all {} of namespace {}", base::counted(pods, "Pod"), ns);
    if (!quotas)
      return out_.push_back({.what = what,
                             .said = Said::not_asked,
                             .sentence = "the ResourceQuotas of the namespace may not be read"});
    for (const std::string& each : exceeded(*quotas, sums))
      out_.push_back({.what = what, .said = Said::refused, .sentence = each});
  }

  const TrialRequest& request_;
  const Samples& samples_;
  const Asking& asking_;
  std::vector<Tried> out_;
  std::set<std::string> others_;  // kinds that are not sent
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
