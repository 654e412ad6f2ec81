#include "kubectl/team_rules/templates.hpp"

#include "base/names.hpp"
#include "kubectl/objects/api_version.hpp"
#include "kubectl/objects/json_path.hpp"
#include "kubectl/predict/expand/reading.hpp"
#include "server/text/json_text.hpp"
#include "webhook/controllers/counts.hpp"
#include "webhook/workloads/table.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <string_view>

namespace tpuwh::server::team_rules {

namespace {

namespace controllers = webhook::controllers;

using expand::number;
using objects::at;
using text::text_member;
using webhook::workloads::PlainMaker;

std::string title(std::string_view kind, const Json& holder, const char* name = "name") {
  return std::string(kind) + base::printable(text_member(holder, name)) + ": ";
}

// Reads a number of seconds or of restarts from the field `key`. If the number is above `most`,
// returns `most`. Returns nullopt if the field is not a whole number of at least 0.
std::optional<std::uint64_t> bound(const Json& object, const char* key, std::uint64_t most) {
  const Json& value = text::member(object, key);
  if (!value.is_number_unsigned()) return std::nullopt;
  return std::min(value.get<std::uint64_t>(), most);
}

// Multiplies a number of groups by the Pods of each group. Both numbers are capped first, so that
// no sum of such products overflows.
std::uint64_t times(std::uint64_t groups, std::uint64_t pods) {
  return std::min<std::uint64_t>(groups, std::numeric_limits<std::uint32_t>::max()) *
         std::min(pods, most_pods);
}

std::optional<std::uint64_t> deadline(const Json& spec) {
  return bound(spec, "activeDeadlineSeconds", std::numeric_limits<std::uint32_t>::max());
}

class Finder {
 public:
  explicit Finder(const Json& object) : spec_(text::member(object, "spec")) {}

  std::vector<PodTemplate> run(const webhook::workloads::ObjectKind& kind) {
    const std::string_view is = kind.kind;
    if (kind.maker != nullptr) of_plain(*kind.maker);
    if (is == "Job") of_job("", spec_, false, 1, 1);
    if (is == "CronJob") of_job("", at(spec_, {"jobTemplate", "spec"}), false, 1, 1);
    if (is == "JobSet") of_jobset();
    if (is == "RayCluster") of_cluster(spec_, {.ends = true});
    if (is == "RayJob") of_ray_job();
    if (is == "RayService") of_cluster(text::member(spec_, "rayClusterConfig"), {});
    if (is == "LeaderWorkerSet") of_groups();
    if (is == "StatefulSet" || is == "Deployment") add("", spec_, "template", replicas(spec_), {});
    return std::move(out_);
  }

 private:
  static std::uint64_t replicas(const Json& spec, const char* key = "replicas") {
    return controllers::one_or(number(spec, key));
  }

  void add(std::string title, const Json& holder, const char* key, std::uint64_t pods,
           const Run& run) {
    const Json& pod = text::member(holder, key);
    if (pod.is_object()) out_.push_back({std::move(title), &pod, pods, run});
  }

  // Adds the Pod template of a Job's spec. `jobs` is the number of such Jobs, and `attempts` is the
  // largest number of times that each Job is created.
  void of_job(std::string title, const Json& spec, bool indexed_by_default, std::uint64_t jobs,
              std::uint64_t attempts) {
    const std::string mode = text_member(spec, "completionMode");
    const std::uint64_t pods = controllers::job_pods(
        {.completions = number(spec, "completions"),
         .parallelism = number(spec, "parallelism"),
         .indexed = mode == "Indexed" || (mode.empty() && indexed_by_default)});
    Run run{.ends = true, .restarted = attempts > 1 || number(spec, "backoffLimit") != 0u};
    if (const auto seconds = deadline(spec)) run.seconds = *seconds * attempts;
    add(std::move(title), spec, "template", times(jobs, pods), run);
  }

  void of_jobset() {
    const auto restarts = bound(text::member(spec_, "failurePolicy"), "maxRestarts",
                                std::numeric_limits<std::int32_t>::max());
    for (const Json& job : text::member(spec_, "replicatedJobs"))
      of_job(title("replicated job ", job), at(job, {"template", "spec"}), true, replicas(job),
             restarts.value_or(0) + 1);
  }

  void of_cluster(const Json& cluster, const Run& run) {
    add("head group: ", text::member(cluster, "headGroupSpec"), "template", 1, run);
    for (const Json& group : text::member(cluster, "workerGroupSpecs")) {
      const controllers::RayGroupNumbers numbers{
          .replicas = number(group, "replicas"),
          .least = number(group, "minReplicas"),
          .most = number(group, "maxReplicas"),
          .hosts = number(group, "numOfHosts"),
          .autoscaled = text::member(cluster, "enableInTreeAutoscaling") == Json(true)};
      add(title("worker group ", group, "groupName"), group, "template",
          times(controllers::ray_replicas(numbers).now, controllers::ray_hosts(numbers)), run);
    }
  }

  void of_ray_job() {
    const Run run{.ends = true, .seconds = deadline(spec_)};
    of_cluster(text::member(spec_, "rayClusterSpec"), run);
    add("submitter: ", spec_, "submitterPodTemplate", 1, run);
  }

  void of_groups() {
    const Json& group = text::member(spec_, "leaderWorkerTemplate");
    const std::uint64_t groups = replicas(spec_), size = replicas(group, "size");
    const bool led = text::member(group, "leaderTemplate").is_object();
    add("leader template: ", group, "leaderTemplate", groups, {});
    if (!led || size > 1)
      add("worker template: ", group, "workerTemplate", times(groups, led ? size - 1 : size), {});
  }

  void of_plain(const PlainMaker& maker) {
    const std::string count(maker.count), key(maker.pod_template), name(maker.part_name);
    if (maker.parts.empty()) return add("", spec_, key.c_str(), replicas(spec_, count.c_str()), {});
    for (const Json& part : text::member(spec_, std::string(maker.parts)))
      add(title("part ", part, name.c_str()), part, key.c_str(), replicas(part, count.c_str()), {});
  }

  const Json& spec_;
  std::vector<PodTemplate> out_;
};

}  // namespace

std::vector<PodTemplate> templates_of(const Json& object) {
  const std::string version = text_member(object, "apiVersion");
  const auto kind = webhook::workloads::find_object(objects::split_api_version(version).group,
                                                    text_member(object, "kind"));
  return kind ? Finder(object).run(*kind->object) : std::vector<PodTemplate>();
}

std::string name_of(const Json& object) {
  const Json& metadata = text::member(object, "metadata");
  const std::string name = text_member(metadata, "name");
  return name.empty() ? text_member(metadata, "generateName") + "xxxxx" : name;
}

}  // namespace tpuwh::server::team_rules
