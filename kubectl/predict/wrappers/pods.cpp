#include "kubectl/predict/wrappers/pods.hpp"

#include <fmt/format.h>

#include <limits>

namespace tpuwh::server::wrappers {

namespace {

// A count, and where it is written; at "" where a rule says it.
struct Count {
  std::uint64_t value = 1;
  std::string at;
};

Result<Count> count_of(const Json& object, const Pods& pods, const Match& found) {
  if (const auto* number = std::get_if<std::uint64_t>(&pods.count)) return Count{*number, {}};
  const Pointer at = std::get<Path>(pods.count).at(found.elements);
  if (!object.contains(at)) return bad_value("is missing", spoken(at));
  const Json& value = object.at(at);
  const bool fits = value.is_number_unsigned() &&
                    value.get<std::uint64_t>() <= std::numeric_limits<std::int32_t>::max();
  if (!fits) return Error(base::Errc::wrong_type, "must be a number of Pods", spoken(at));
  return Count{value.get<std::uint64_t>(), at.to_string()};
}

Json replica_set_spec(const Json& pod_template, const Count& count) {
  return {{"replicas", count.value}, {"template", pod_template}};
}

Json job_spec(const Json& pod_template, const Count& count) {
  Json out{{"completionMode", "Indexed"},
           {"completions", count.value},
           {"parallelism", count.value},
           {"template", pod_template}};
  Json& pod = out["template"];
  if (pod.is_object() && pod.contains("spec") && pod["spec"].is_object() &&
      !pod["spec"].contains("restartPolicy"))
    pod["spec"]["restartPolicy"] = "Never";
  return out;
}

}  // namespace

Making make_pods(const Json& object, const expand::Owner& self, const Pods& pods) {
  Making out;
  const std::vector<Match> found = pods.pod_template.find(object);
  if (found.empty())
    out.faults.push_back({.sentence = fmt::format("{} is missing", pods.pod_template.text())});
  for (std::size_t i = 0; i < found.size(); ++i) {
    const auto count = count_of(object, pods, found[i]);
    if (!count) {
      out.faults.push_back({.sentence = std::string(count.error().text())});
      continue;
    }
    const Json& pod_template = object.at(found[i].pointer);
    Made made;
    made.object["apiVersion"] = pods.as_job ? "batch/v1" : "apps/v1";
    made.object["kind"] = pods.as_job ? "Job" : "ReplicaSet";
    const std::string name = found.size() == 1 ? self.name : fmt::format("{}-{}", self.name, i);
    made.object["metadata"] = {{"name", name}, {"namespace", self.ns}};
    made.object["spec"] =
        pods.as_job ? job_spec(pod_template, *count) : replica_set_spec(pod_template, *count);
    const auto written = [&](const char* part, const std::string& at) {
      made.origin.written.push_back({part, self.kind, self.ns, self.name, at});
    };
    written("/spec/template", found[i].pointer.to_string());
    if (!count->at.empty() && pods.as_job) {
      written("/spec/completions", count->at);
      written("/spec/parallelism", count->at);
    } else if (!count->at.empty()) {
      written("/spec/replicas", count->at);
    }
    made.origin.by_rule = true;
    if (!pods.as_job) made.origin.shown_kind = self.kind;
    made.origin.notes.emplace_back(
        "its Pods are those of the rule: what else its controller sets is not known");
    out.made.push_back(std::move(made));
  }
  return out;
}

}  // namespace tpuwh::server::wrappers
