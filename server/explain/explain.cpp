#include "server/explain/explain.hpp"

#include "server/expand/expand.hpp"
#include "server/explain/admission.hpp"
#include "server/explain/beside.hpp"
#include "server/explain/conclude.hpp"
#include "server/explain/object_pods.hpp"
#include "server/explain/pod_json.hpp"
#include "server/explain/wanted.hpp"
#include "server/review/input.hpp"
#include "server/review/reviewer.hpp"
#include "server/slices/pod_reader.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

namespace tpuwh::server::explain {

namespace {

using Json = nlohmann::ordered_json;

std::string object_name(const Json& object) {
  const Json& metadata = at(object, {"metadata"});
  const std::string name = text::text_member(metadata, "name");
  const std::string generated = text::text_member(metadata, "generateName");
  return !name.empty() ? name : generated.empty() ? "(no name)" : generated + "*";
}

class Explainer {
 public:
  explicit Explainer(const ExplainRequest& request)
      : request_(request),
        beside_(request.manifests, request.ns),
        reviewer_(request.config),
        reader_(request.config, reviewer_.cluster()) {}

  Result<Explanation> run() {
    auto cluster = read_cluster();
    if (!cluster) return cluster.error();
    note_beside();
    for (const source::Manifest& each : request_.manifests)
      if (expand::makes_pods(each.object)) add_workload(each, *cluster);
    look_out(*cluster);
    for (Workload& each : out_.workloads) conclude(each);
    return std::move(out_);
  }

 private:
  // The cluster that was asked, with what is applied beside the workloads; else what the input
  // says of one.
  Result<outlook::ClusterState> read_cluster() {
    // What the webhook may ask about.
    const auto hear = [&](std::string_view kind, const Json& object) {
      if (kind != "Pod") reviewer_.cluster().add(object);
    };
    InputObjects input(request_.manifests, request_.ns);
    source::OverheardSource of_input(input, hear);
    if (request_.cluster == nullptr) return outlook::read_cluster_state(of_input, request_.config);
    source::OverheardSource of_cluster(*request_.cluster, hear);
    auto state = outlook::read_cluster_state(of_cluster, request_.config);
    if (!state) return state;
    const auto told = of_input.for_each([&](std::string_view, const Json& object) {
      outlook::add_planned(*state, object, request_.ns);
    });
    if (!told) return told.error();
    return state;
  }

  void note_beside() {
    std::set<std::string> passed_over;
    for (const source::Manifest& each : request_.manifests) {
      const std::string kind = text::text_member(each.object, "kind");
      if (expand::makes_pods(each.object)) continue;
      if (is_read_beside(kind))
        out_.beside.push_back(kind + " " + object_name(each.object));
      else
        passed_over.insert(kind + (text::text_member(each.object, "apiVersion").empty()
                                       ? " without apiVersion"
                                       : ""));
    }
    out_.passed_over.assign(passed_over.begin(), passed_over.end());
  }

  // Of an input without a cluster the quota alone counts: what else there is, is not known.
  void look_out(const outlook::ClusterState& cluster) {
    const auto outlooks = outlook::look_out(cluster, wanted_);
    for (std::size_t i = 0; i < outlooks.size(); ++i) {
      Workload& workload = out_.workloads[i];
      if (workload.groups.empty()) continue;
      if (request_.cluster != nullptr) {
        workload.outlook = outlooks[i];
        continue;
      }
      for (const outlook::Wait& wait : outlooks[i].waits)
        if (wait.cause == outlook::Cause::quota)
          workload.findings.push_back({.denied = false,
                                       .id = "quota",
                                       .sentence = wait.what,
                                       .fix = fmt::format("{}", fmt::join(wait.help, "; "))});
    }
    if (request_.cluster != nullptr) out_.not_known = cluster.not_known;
  }

  void add_workload(const source::Manifest& manifest, const outlook::ClusterState& cluster) {
    const Json& object = manifest.object;
    Workload& workload = out_.workloads.emplace_back();
    workload.file = manifest.file;
    workload.kind = text::text_member(object, "kind");
    workload.ns = namespace_of(object, request_.ns);
    workload.name = object_name(object);
    outlook::WantedWorkload& wanted = wanted_.emplace_back(wanted_workload(object, workload.ns));
    ObjectPods pods(request_.config.prefix, beside_, request_.cluster == nullptr);
    if (workload.kind != "Pod") pods.findings.add_object(answer(object));
    const auto admission = admission_of(object, workload.ns, cluster);
    if (admission)
      workload.notes.push_back(fmt::format("as Kueue admits it from queue {}, with flavor {}",
                                           admission->queue, admission->flavor));
    if (is_not_too_many(expand::pod_count(object), workload))
      add_pods(object, admission ? &*admission : nullptr, pods, wanted);
    pods.finish(workload);
    wanted.chips = workload.chips();
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

  review::ReviewOutcome answer(const Json& object) {
    std::string review =
        review::review_of_creation(object, text::dump_json(object), request_.ns, ++reviews_);
    const auto answer = reviewer_.answer(review);
    return review::parse_answer(answer, review);
  }

  void add_pods(const Json& object, const Admission* admission, ObjectPods& pods,
                outlook::WantedWorkload& wanted) {
    const auto told = expand::for_each_pod(object, {.ns = request_.ns}, [&](const Json& pod) {
      if (admission == nullptr) {
        add_pod(pod, pods, wanted);
      } else {
        Json admitted = pod;
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
    const auto outcome = answer(pod);
    pods.findings.add_pod(outcome);
    if (outcome.verdict != review::Verdict::allowed) return pods.add_refused();
    if (request_.each_pod) request_.each_pod(outcome.after);
    auto seen = reader_.read(outcome.after);
    if (!seen || !*seen) return pods.add_other();
    // Pods that get their names later are slices of their own even so.
    if ((*seen)->hosts == 1) (*seen)->slice_key += fmt::format(" {}", reviews_);
    pods.add({pod, outcome.after, **seen, outcome.workload}, wanted);
  }

  const ExplainRequest& request_;
  const Beside beside_;
  review::Reviewer reviewer_;
  slices::PodReader reader_;
  Explanation out_;
  std::vector<outlook::WantedWorkload> wanted_;  // one for each of out_.workloads
  std::size_t reviews_ = 0;
  std::uint64_t pods_ = 0;
};

}  // namespace

Result<Explanation> explain(const ExplainRequest& request) {
  return Explainer(request).run();
}

}  // namespace tpuwh::server::explain
