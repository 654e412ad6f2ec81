#include "kubectl/predict/explain/explain.hpp"

#include "base/edits.hpp"
#include "base/names.hpp"
#include "kubectl/inspect/slices/pod_reader.hpp"
#include "kubectl/policy/breaches.hpp"
#include "kubectl/predict/expand/expand.hpp"
#include "kubectl/predict/explain/admission.hpp"
#include "kubectl/predict/explain/claims.hpp"
#include "kubectl/predict/explain/conclude.hpp"
#include "kubectl/predict/explain/fixing.hpp"
#include "kubectl/predict/explain/gangs.hpp"
#include "kubectl/predict/explain/hindrances.hpp"
#include "kubectl/predict/explain/made_up.hpp"
#include "kubectl/predict/explain/manifest_faults.hpp"
#include "kubectl/predict/explain/network_fault.hpp"
#include "kubectl/predict/explain/object_pods.hpp"
#include "kubectl/predict/explain/pins.hpp"
#include "kubectl/predict/explain/pod_json.hpp"
#include "kubectl/predict/explain/pool_names.hpp"
#include "kubectl/predict/explain/ray_chips.hpp"
#include "kubectl/predict/explain/surroundings.hpp"
#include "kubectl/predict/explain/together.hpp"
#include "kubectl/predict/explain/updates.hpp"
#include "kubectl/predict/explain/wanted.hpp"
#include "kubectl/predict/explain/wrapped.hpp"
#include "kubectl/predict/network/networks.hpp"
#include "kubectl/predict/outlook/pod_sets.hpp"
#include "kubectl/predict/wrappers/open.hpp"
#include "kubectl/reference/fields/unseen.hpp"
#include "kubectl/reference/ids/policy_rows.hpp"
#include "kubectl/reference/ids/webhook_rows.hpp"
#include "kubectl/review/input.hpp"
#include "kubectl/review/reviewer.hpp"
#include "webhook/findings/finding.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

namespace tpuwh::server::explain {

namespace {

using objects::is_suspended;
using objects::shown_name;

Json resumed(const Json& object) {
  Json out = object;
  out["spec"].erase("suspend");
  return out;
}

class Explainer {
 public:
  explicit Explainer(const ExplainRequest& request)
      : request_(request),
        beside_(request.manifests, request.ns),
        network_policies_(network_policies(request.manifests, request.ns)),
        reviewer_(request.config),
        reader_(request.config, reviewer_.cluster()) {}

  Result<Explanation> run() {
    auto cluster = read_cluster();
    if (!cluster) return cluster.error();
    note_beside();
    for (const Together& each :
         told_together(request_.manifests, request_.ns, request_.config.prefix))
      add_workload(each, *cluster);
    look_out(*cluster);
    pins_.tell(out_.workloads);
    number_pools(out_.workloads);
    for (std::size_t i = 0; i < out_.workloads.size(); ++i) {
      show_made_up(made_up_[i], out_.workloads[i]);
      conclude(out_.workloads[i]);
    }
    return std::move(out_);
  }

 private:
  // The cluster that was asked, with what is applied beside the workloads; else what the input
  // says of one. The webhook may ask about all of it but its Pods.
  Result<outlook::ClusterState> read_cluster() {
    const auto tell_webhook = [&](std::string_view kind, const Json& object) {
      if (kind != "Pod") reviewer_.cluster().add(is_suspended(object) ? resumed(object) : object);
    };
    InputObjects input(request_.manifests, request_.ns);
    if (request_.cluster == nullptr)
      return outlook::read_cluster_state(input, request_.config, tell_webhook);
    auto state = outlook::read_cluster_state(*request_.cluster, request_.config, tell_webhook);
    if (!state) return state;
    const auto told = input.for_each([&](std::string_view kind, const Json& object) {
      tell_webhook(kind, object);
      outlook::add_planned(*state, object, request_.ns);
    });
    if (!told) return told.error();
    return state;
  }

  void note_beside() {
    std::set<std::string> passed_over;
    fields::UnseenFields unseen;
    for (const source::Manifest& each : request_.manifests) {
      const std::string kind = text::text_member(each.object, "kind");
      if (expand::makes_pods(each.object)) continue;
      if (is_read_beside(kind)) {
        out_.beside.push_back(kind + " " + shown_name(each.object));
        unseen.add(each.object);
      } else if (makes_pods_unread(each.object)) {
        out_.not_read.push_back(kind + " " + shown_name(each.object));
      } else {
        passed_over.insert(kind + (text::text_member(each.object, "apiVersion").empty()
                                       ? " without apiVersion"
                                       : ""));
      }
    }
    out_.passed_over.assign(passed_over.begin(), passed_over.end());
    out_.unseen = unseen.list();
  }

  // Adds to each workload the prediction of whether the cluster can run its slices. If no API
  // server is asked, `cluster` has only the objects of the input files, and the other workloads of
  // the cluster are not known. Then only a lack of quota is reported, because the input files can
  // contain the quota.
  void look_out(const outlook::ClusterState& cluster) {
    const auto outlooks = outlook::look_out(cluster, wanted_);
    for (std::size_t i = 0; i < outlooks.size(); ++i) {
      Workload& workload = out_.workloads[i];
      if (workload.groups.empty()) continue;
      const auto waits =
          std::ranges::count(outlooks[i].waits, outlook::Cause::quota, &outlook::Wait::cause);
      if (waits == 0 && !admitted_[i].empty())
        workload.notes.insert(workload.notes.begin(), admitted_[i]);
      if (request_.cluster != nullptr)
        workload.outlook = outlooks[i];
      else
        tell_quota(outlooks[i], !cluster.cluster_queues.empty(), workload);
    }
    if (request_.cluster != nullptr) out_.not_known = cluster.not_known;
  }

  static std::string looks(const outlook::Wait& wait) {
    std::string out;
    for (const fixes::Command& each : wait.help) out += (out.empty() ? "" : "; ") + each.text();
    return out;
  }

  // knows: the input has queues, so that what is not known of them is worth a word.
  static void tell_quota(const outlook::WorkloadOutlook& outlook, bool knows, Workload& workload) {
    for (const outlook::Wait& wait : outlook.waits)
      if (wait.cause == outlook::Cause::quota)
        workload.findings.push_back({.denied = false,
                                     .id = ids::of_explain("quota"),
                                     .sentence = wait.what,
                                     .fix = fixes::Choice{looks(wait)}});
    for (const std::string& each : outlook.not_known)
      if (knows && each.starts_with("quota: "))
        workload.notes.push_back("not known: " + each.substr(std::string_view("quota: ").size()));
  }

  void add_workload(const Together& objects, const outlook::ClusterState& cluster) {
    const source::Manifest& manifest = *objects.front();
    const Json& object = manifest.object;
    Workload& workload = out_.workloads.emplace_back();
    workload.file = manifest.file;
    workload.kind = text::text_member(object, "kind");
    workload.ns = namespace_of(object, request_.ns);
    workload.name = shown_name(object);
    workload.origin = manifest.origin;
    outlook::WantedWorkload& wanted = wanted_.emplace_back(wanted_workload(object, workload.ns));
    made_up_.push_back(expand::made_up_names(object, {.ns = request_.ns}));
    if (manifest.origin)
      for (const auto& [name, shown] : manifest.origin->made_up)
        made_up_.back().push_back({name, shown});
    ObjectPods pods(request_.config.prefix, beside_, request_.cluster == nullptr);
    networks_ = begin_networks(manifest);
    const NotFilledIn left = not_filled_in(object);
    if (!left.essential.empty()) {
      refuse_placeholder(left.essential, workload);
      admitted_.emplace_back();
      return;
    }
    look_at_object(object, left, pods.findings);
    const Together others(objects.begin() + 1, objects.end());
    for (const source::Manifest* each : others) {
      look_at_object(each->object, not_filled_in(each->object), pods.findings);
      wanted.with.push_back(shown_name(each->object));
    }
    if (!others.empty()) workload.notes.push_back(others_words(others));
    // Kueue, or whoever resumes it, may let one after the other begin; the Jobs of a CronJob do.
    runs_at_once_ = !is_suspended(object) && workload.kind != "CronJob" && wanted.queue.empty();
    if (is_suspended(object))
      workload.notes.push_back("it is suspended: this is the result when it is resumed");
    if (workload.kind == "LeaderWorkerSet") collect_variables(object, pods.variables.emplace());
    make_pods(object, cluster, workload, pods, wanted);
    for (const source::Manifest* each : others)
      if (is_not_too_many(1, workload)) add_pods(each->object, nullptr, pods, wanted);
    workload.networks = networks_.list();
    workload.without_network = networks_.without();
    for (Finding& each : network_faults(networks_, workload)) pods.findings.add(std::move(each));
    for (Finding& each : ray_chip_faults(object)) pods.findings.add(std::move(each));
    for (Finding& each : gang_faults(object, request_.manifests, request_.ns, beside_))
      pods.findings.add(std::move(each));
    for (const source::Manifest* each : objects)
      for (const std::string& note : each->notes)
        pods.findings.add(
            {.denied = false, .id = ids::of_explain("read"), .sentence = note, .fix = {}});
    pods.finish(workload);
    tell_of_object(object, cluster, wanted, workload);
    // Fields that tpu-webhook does not know are listed only for an object that has or may have Pods
    // with chips.
    if (!workload.groups.empty() || !workload.scaled_to_none.empty() || workload.pods_left_out > 0)
      workload.unseen = unseen_of(objects);
  }

  // Returns the object that checks whether NetworkPolicies block traffic between the Pods of
  // `manifest`. The result has no Pods yet; they are added later.
  network::Networks begin_networks(const source::Manifest& manifest) const {
    std::vector<std::string> names;
    for (const expand::MadeUpName& each : made_up_.back()) names.push_back(each.name);
    return {network_policies_, std::move(names), !manifest.origin || !manifest.origin->by_rule};
  }

  // "one slice with Pods own-1, own-2 and 13 more, which have the same annotation hostnames"
  std::string others_words(const Together& others) const {
    constexpr std::size_t most_named = 4;
    std::vector<std::string> names;
    for (const source::Manifest* each : others) names.push_back(shown_name(each->object));
    const std::size_t more = names.size() > most_named ? names.size() - most_named : 0;
    names.resize(names.size() - more);
    return fmt::format("one slice with {} {}{}, which {} the same annotation {}hostnames",
                       others.size() == 1 ? "Pod" : "Pods", fmt::join(names, ", "),
                       more == 0 ? "" : fmt::format(" and {} more", more),
                       others.size() == 1 ? "has" : "have", request_.config.prefix);
  }

  static std::vector<fields::Unseen> unseen_of(const Together& objects) {
    fields::UnseenFields unseen;
    for (const source::Manifest* each : objects) unseen.add(each->object);
    return unseen.list();
  }

  // As Kueue would admit them, where the input says how.
  void make_pods(const Json& object, const outlook::ClusterState& cluster, Workload& workload,
                 ObjectPods& pods, outlook::WantedWorkload& wanted) {
    const bool may_look = is_not_too_many(expand::pod_count(object), workload);
    if (may_look && may_be_admitted(object, workload.ns, cluster)) count_pod_sets(object, wanted);
    const auto admission = admission_of(object, workload.ns, cluster, wanted.pod_sets);
    admitted_.push_back(admission ? admission->words() : "");
    if (admission) pods.not_decided = admission->not_decided();
    if (may_look) add_pods(object, admission ? &*admission : nullptr, pods, wanted);
  }

  // Adds the notes and findings that can be decided only after the webhook has answered for every
  // Pod of the object.
  void tell_of_object(const Json& object, const outlook::ClusterState& cluster,
                      const outlook::WantedWorkload& wanted, Workload& workload) {
    if (!workload.groups.empty())
      for (std::string& note : hindrances_of_object(object))
        workload.notes.push_back(std::move(note));
    const bool refused = std::ranges::any_of(workload.findings, &Finding::denied);
    if (std::string more = update_words(object, workload); !refused && !more.empty())
      workload.notes.push_back(std::move(more));
    if (is_unknown_queue(wanted, cluster) && !workload.groups.empty())
      workload.notes.push_back(
          fmt::format("queue {} of Kueue is not in the input: when it admits this, and onto which "
                      "nodes, is not known",
                      base::printable(wanted.queue, 100)));
    if (workload.groups.empty() && workload.claimed.empty() && workload.pods_left_out == 0 &&
        !refused)
      look_scaled_up(object, workload);
  }

  bool is_unknown_queue(const outlook::WantedWorkload& wanted,
                        const outlook::ClusterState& cluster) const {
    return request_.cluster == nullptr && !wanted.queue.empty() && cluster.cluster_queues.empty() &&
           !cluster.local_queues.contains({wanted.ns, wanted.queue});
  }

  // Refuses a workload with a placeholder that was not filled in, such as ${NAME}. Nothing else in
  // the workload is examined, because any of its values may still change.
  static void refuse_placeholder(std::string left, Workload& workload) {
    constexpr auto found = webhook::findings::Finding::placeholder_left;
    workload.findings.push_back({.denied = true,
                                 .id = std::string(webhook::findings::row(found).id),
                                 .sentence = std::move(left),
                                 .fix = fixes::Choice{std::string(ids::words_of(found).fix)}});
  }

  // Wherever it has containers.
  static void collect_variables(const Json& value, std::set<std::string>& names) {
    if (value.is_structured())
      for (const Json& each : value) collect_variables(each, names);
    for (const Json& entry : text::member(value, "env"))
      names.insert(text::text_member(entry, "name"));
  }

  void count_pod_sets(const Json& object, outlook::WantedWorkload& wanted) {
    static_cast<void>(expand::for_each_pod(object, {.ns = request_.ns}, [&](const Json& pod) {
      outlook::add_to_pod_sets(pod, wanted.pod_sets);
      return true;
    }));
  }

  // Explains an object that is scaled to 0, by examining the Pods that the object would have with
  // one replica.
  void look_scaled_up(const Json& object, Workload& workload) {
    ObjectPods pods(request_.config.prefix, beside_, false);
    outlook::WantedWorkload nobody_waits;
    Workload scaled_up;
    // With indices they need no places, of which a group without replicas has none.
    const expand::ExpandOptions options{
        .ns = request_.ns, .ray_indices = true, .at_least_one = true};
    supposed_ = true;
    runs_at_once_ = false;
    static_cast<void>(expand::for_each_pod(object, options, [&](const Json& pod) {
      if (pods_ >= max_pods) return false;
      ++pods_;
      add_pod(pod, pods, nobody_waits);
      return true;
    }));
    supposed_ = false;
    pods.finish(scaled_up);
    if (scaled_up.groups.empty() && scaled_up.claimed.empty()) return;
    workload.scaled_to_none = scaled_words(scaled_up, expand::autoscaled_pods(object));
    for (Finding& each : scaled_up.findings)
      if (std::ranges::find(workload.findings, each.sentence, &Finding::sentence) ==
          workload.findings.end())
        workload.findings.push_back(std::move(each));
    for (std::string& note : scaled_up.notes) workload.notes.push_back(std::move(note));
  }

  bool is_not_too_many(std::uint64_t count, Workload& workload) {
    const bool fine = count <= max_pods - pods_;
    if (fine)
      pods_ += count;
    else
      workload.notes.push_back(
          fmt::format("with the Pods before them they are more than {}", max_pods));
    workload.pods_left_out = fine ? 0 : count;
    return fine;
  }

  // The answer's views live until the next one.
  webhook::answer::Answer answer(const Json& object) {
    review_ = review::review_of_creation(object, text::dump_json(object), request_.ns, ++reviews_);
    return reviewer_.answer(review_);
  }

  review::Reply reply_of(const webhook::answer::Answer& answer) {
    review::Reply reply = replies_.read(answer);
    leave_out_review(reply.message);
    for (std::string& warning : reply.warnings) leave_out_review(warning);
    return reply;
  }

  // Returns the webhook's reasons for refusing the object of the last answer() call, one per
  // element.
  std::vector<webhook::validate::Found> faults() { return reviewer_.faults(review_); }

  // Removes "request.object." from the field paths in the text. Field paths in an AdmissionReview
  // begin with "request.object.", but the user has only the manifest of the object.
  static void leave_out_review(std::string& text) {
    base::replace_all(text, "request.object.", "");
  }

  // A Pod is looked at as the Pods of others are.
  void look_at_object(const Json& object, const NotFilledIn& left, Findings& findings) {
    if (text::text_member(object, "kind") != "Pod") {
      const review::Reply reply = reply_of(answer(object));
      findings.add_object(reply, reply.verdict == review::Verdict::allowed
                                     ? std::vector<webhook::validate::Found>()
                                     : faults());
    }
    if (request_.team_rules != nullptr) add_breaches(object, findings);
    for (const std::string& refused : {refused_name(object), refused_selector(object)})
      if (!refused.empty())
        findings.add({.denied = true,
                      .id = id_of(webhook::findings::Finding::controller_refuses),
                      .sentence = refused,
                      .fix = {}});
    if (!left.other.empty())
      findings.add({.denied = false,
                    .id = id_of(webhook::findings::Finding::placeholder_left),
                    .sentence = left.other,
                    .fix = {}});
  }

  // Adds a finding for each team rule that the object breaks. The admission policies from `kubectl
  // tpu policy --team-rules` enforce the same rules: they refuse the object or warn.
  void add_breaches(const Json& object, Findings& findings) {
    if (policy::made_by_judged(object)) return;
    const std::string ns = namespace_of(object, request_.ns);
    const policy::Question question{*request_.team_rules, request_.config.prefix, ns,
                                    reviewer_.cluster()};
    for (policy::Breach& each : policy::breaches(question, object, Json()))
      findings.add({.denied = each.refused,
                    .id = each.id,
                    .sentence = std::move(each.sentence),
                    .fix = fixes::Choice{ids::fix_of(ids::rows::of_policy, each.id)}});
  }

  void add_pods(const Json& object, const Admission* admission, ObjectPods& pods,
                outlook::WantedWorkload& wanted) {
    const bool uncounted = wanted.pod_sets.empty();
    made_by_ = &object;
    const auto told = expand::for_each_pod(object, {.ns = request_.ns}, [&](const Json& pod) {
      if (uncounted) outlook::add_to_pod_sets(pod, wanted.pod_sets);
      const auto shaped = beside_.with_shape_of_class(pod);
      if (shaped) pods.shape_of_class = true;
      const Json& made = shaped ? *shaped : pod;
      if (admission == nullptr) {
        add_pod(made, pods, wanted);
      } else {
        Json admitted = made;
        admit(admitted, *admission);
        add_pod(admitted, pods, wanted);
      }
      return true;
    });
    if (!told && !pods.findings.any_denied())
      pods.findings.add(
          {.denied = true, .id = {}, .sentence = std::string(told.error().text()), .fix = {}});
  }

  void add_pod(const Json& pod, ObjectPods& pods, outlook::WantedWorkload& wanted) {
    const webhook::answer::Answer answered = answer(pod);
    ++out_.pods;
    ++out_.decisions;
    const review::Reply reply = reply_of(answered);
    pods.findings.add_pod(reply);
    if (reply.verdict != review::Verdict::allowed) {
      tell_pod(pod, nullptr);
      return pods.add_refused();
    }
    Json after = pod;
    reply.apply(after);
    tell_pod(pod, &after);
    if (request_.each_pod && !supposed_) request_.each_pod(after);
    const std::string workload(answered.summary.workload);
    std::optional<slices::SeenPod> seen = seen_of(answered, after);
    if (!seen) {
      if (const std::string resource = unread_resource(after, beside_); !resource.empty())
        pods.findings.add(
            {.denied = false,
             .id = id_of(webhook::findings::Finding::claims_unknown),
             .sentence =
                 fmt::format("the Pods ask for chips by resource {}, which tpu-webhook does "
                             "not read: they are of no slice, and nothing is injected",
                             base::printable(resource, 100)),
             .fix = fixes::Choice{"ask for google.com/tpu, or by a ResourceClaimTemplate"}});
      if (auto claimed = claimed_chips(after, beside_))
        return pods.add_claiming(*std::move(claimed));
      return pods.add_other();
    }
    if (!supposed_ && made_by_ != nullptr) networks_.add(*made_by_, after, *seen);
    if (runs_at_once_) pins_.add(*seen, out_.workloads.size() - 1);
    // Pods that get their names later are slices of their own even so.
    if (seen->hosts == 1) seen->slice_key += fmt::format(" {}", reviews_);
    pods.add({pod, after, *seen, workload, pods.variables ? &*pods.variables : nullptr}, wanted);
  }

  void tell_pod(const Json& pod, const Json* after) const {
    if (request_.tell_pod && !supposed_ && made_by_ != nullptr)
      request_.tell_pod(*made_by_, pod, after);
  }

  // Returns the slice of the Pod and the Pod's position in the slice. Both are usually in the
  // webhook's answer. Otherwise both are read from the patched Pod (`after`), as for a Pod in a
  // cluster.
  std::optional<slices::SeenPod> seen_of(const webhook::answer::Answer& answered,
                                         const Json& after) {
    if (auto seen = slices::seen_in_answer(answered, after, request_.config.prefix)) return seen;
    ++out_.decisions;
    auto read = reader_.read(after);
    return read ? *std::move(read) : std::nullopt;
  }

  const ExplainRequest& request_;
  const Surroundings beside_;
  const std::vector<network::Policy> network_policies_;
  review::Reviewer reviewer_;
  slices::PodReader reader_;
  Explanation out_;
  std::vector<outlook::WantedWorkload> wanted_;  // one for each of out_.workloads
  std::vector<std::string> admitted_;            // likewise: how Kueue would admit it, "" for not
  std::vector<std::vector<expand::MadeUpName>> made_up_;  // likewise
  Pins pins_;
  network::Networks networks_{{}, {}, true};  // of the workload that is added
  std::string review_;                        // that was answered last
  review::ReplyReader replies_;
  const Json* made_by_ = nullptr;  // the object whose Pods are added
  bool runs_at_once_ = false;      // the workload that is added
  bool supposed_ = false;          // true while look_scaled_up() adds Pods that do not exist now
  std::size_t reviews_ = 0;
  std::uint64_t pods_ = 0;
};

}  // namespace

Result<Explanation> explain(const ExplainRequest& request) {
  const auto explaining = [](const ExplainRequest& each) { return Explainer(each).run(); };
  if (!wrappers::holds_wrappers(request.manifests, request.rules)) {
    auto out = explaining(request);
    if (out) make_fixes(request, explaining, *out);
    return out;
  }
  const wrappers::Opened opened = wrappers::open(request.manifests, request.rules, request.ns);
  ExplainRequest inner = request;
  inner.manifests = opened.objects;
  auto out = explaining(inner);
  if (!out) return out;
  make_fixes(inner, explaining, *out);
  tell_of_wrappers(opened, request.ns, *out);
  return out;
}

}  // namespace tpuwh::server::explain
