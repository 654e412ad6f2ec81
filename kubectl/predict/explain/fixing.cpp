#include "kubectl/predict/explain/fixing.hpp"

#include "kubectl/fixes/make.hpp"
#include "kubectl/predict/expand/expand.hpp"
#include "kubectl/predict/explain/pod_json.hpp"
#include "kubectl/predict/explain/together.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <ranges>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace tpuwh::server::explain {

namespace {

using fixes::Steps;

std::string kind_of(const Json& object) {
  return text::text_member(object, "kind");
}

fixes::ObjectName name_of(const Json& object, const std::string& ns) {
  return {kind_of(object), namespace_of(object, ns),
          text::text_member(at(object, {"metadata"}), "name")};
}

// One object that makes Pods, among those that say something about it.
class Fixer {
 public:
  Fixer(const ExplainRequest& request, Explaining explaining,
        const std::vector<source::Manifest>& beside, std::uint64_t& pods)
      : request_(request), explaining_(explaining), beside_(beside), pods_(pods) {
    for (const source::Manifest& each : beside_) {
      if (kind_of(each.object) == "ComputeClass") compute_classes_.push_back(&each.object);
      if (kind_of(each.object) == "Service")
        services_[namespace_of(each.object, request_.ns)].push_back(&each.object);
    }
  }

  void run(const Together& objects, Workload& workload) {
    if (workload.findings.empty() || is_spent()) return;
    objects_ = &objects;
    before_.reset();
    if (request_.cluster == nullptr) before_ = said_of(workload);
    const fixes::Subject subject = subject_of(objects.front()->object);
    std::set<std::string> done;
    for (const Finding& each : workload.findings)
      if (!each.id.empty() && done.insert(each.id).second) fix(subject, each.id, workload);
  }

 private:
  bool is_spent() const { return beside_.size() / objects_a_pod >= max_tried_pods - pods_; }

  fixes::Subject subject_of(const Json& object) const {
    fixes::Subject out{.object = object,
                       .ns = namespace_of(object, request_.ns),
                       .prefix = request_.config.prefix,
                       .compute_classes = compute_classes_};
    if (const auto found = services_.find(out.ns); found != services_.end())
      out.services = found->second;
    return out;
  }

  void fix(const fixes::Subject& subject, const std::string& id, Workload& workload) {
    std::vector<std::string> sentences;
    for (const Finding& each : workload.findings)
      if (each.id == id) sentences.push_back(each.sentence);
    const fixes::Tiers ways = fixes::proposals(subject, id, sentences);
    if (ways.empty()) return;
    if (!before_) before_ = said_after({});
    if (!before_ || !before_->ids.contains(id)) return;
    const fixes::Fix made = fixes::make_fix(
        ways, id, *before_, [&](const Steps& steps) { return said_after(steps); }, {});
    if (std::holds_alternative<fixes::Choice>(made)) return;
    for (Finding& each : workload.findings)
      if (each.id == id) each.fix = made;
  }

  // What is said of the object once the steps are done.
  std::optional<fixes::Said> said_after(const Steps& steps) {
    if (is_spent()) return std::nullopt;
    std::vector<source::Manifest> input = beside_;
    for (const source::Manifest* each : *objects_ | std::views::drop(1)) input.push_back(*each);
    input.push_back(*objects_->front());
    for (const fixes::Step& step : steps)
      if (!take(step, input)) return std::nullopt;
    const std::uint64_t pods = std::min(expand::pod_count(input.back().object), max_tried_pods) +
                               beside_.size() / objects_a_pod + 1;
    if (pods > max_tried_pods - pods_) return std::nullopt;
    pods_ += pods;
    const auto explained = explaining_({.manifests = input,
                                        .ns = request_.ns,
                                        .config = request_.config,
                                        .team_rules = request_.team_rules});
    if (!explained || explained->workloads.empty()) return std::nullopt;
    return said_of(explained->workloads.back());
  }

  static fixes::Said said_of(const Workload& workload) {
    fixes::Said out{.verdict = static_cast<int>(workload.verdict)};
    for (const Finding& each : workload.findings) out.ids.insert(each.id);
    return out;
  }

  bool take(const fixes::Step& step, std::vector<source::Manifest>& input) const {
    if (const auto* command = std::get_if<fixes::Command>(&step)) {
      if (command->made().is_null()) return false;
      input.insert(input.begin(), {.file = "", .object = command->made()});
      return true;
    }
    const auto& edit = std::get<fixes::Edit>(step);
    if (!edit.object) return fixes::apply(edit, input.back().object);
    const auto found = std::ranges::find_if(input, [&](const source::Manifest& each) {
      return name_of(each.object, request_.ns) == *edit.object;
    });
    return found != input.end() && fixes::apply(edit, found->object);
  }

  // Objects beside it that cost as much as a Pod, since each is read again.
  static constexpr std::size_t objects_a_pod = 4;

  const ExplainRequest& request_;
  const Explaining explaining_;
  const std::vector<source::Manifest>& beside_;
  std::uint64_t& pods_;
  const Together* objects_ = nullptr;
  std::vector<const Json*> compute_classes_;
  std::map<std::string, std::vector<const Json*>> services_;  // by namespace
  std::optional<fixes::Said> before_;                         // of it as it is, without a cluster
};

}  // namespace

void make_fixes(const ExplainRequest& request, Explaining explaining, Explanation& explanation) {
  std::vector<source::Manifest> beside;
  for (const source::Manifest& each : request.manifests)
    if (!expand::makes_pods(each.object)) beside.push_back(each);
  std::uint64_t pods = 0;
  Fixer fixer(request, explaining, beside, pods);
  std::size_t next = 0;
  for (const Together& each : told_together(request.manifests, request.ns, request.config.prefix))
    if (next < explanation.workloads.size()) fixer.run(each, explanation.workloads[next++]);
}

}  // namespace tpuwh::server::explain
