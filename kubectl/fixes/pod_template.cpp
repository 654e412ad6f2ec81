#include "kubectl/fixes/pod_template.hpp"

#include "base/names.hpp"
#include "kubectl/objects/api_version.hpp"
#include "server/text/json_text.hpp"
#include "webhook/read/vocabulary.hpp"
#include "webhook/workloads/table.hpp"

#include <algorithm>
#include <utility>

namespace tpuwh::server::fixes {

namespace {

namespace key = webhook::read::key;
using webhook::workloads::PlainMaker;

const Json* find(const Json& object, const Path& path) {
  return object.contains(path) ? &object.at(path) : nullptr;
}

std::uint32_t whole(const Json* value) {
  if (value == nullptr) return 0;
  if (value->is_string())
    return base::plain_decimal(value->get_ref<const std::string&>()).value_or(0);
  return value->is_number_unsigned() ? value->get<std::uint32_t>() : 0;
}

// The one value that required node affinity leaves of a label; "" where it leaves several.
std::string affinity(const Json& spec, std::string_view label) {
  const Path path(
      "/affinity/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution/"
      "nodeSelectorTerms");
  const Json* terms = find(spec, path);
  if (terms == nullptr || !terms->is_array() || terms->size() != 1) return {};
  const Json& expressions = text::member((*terms)[0], "matchExpressions");
  if (!expressions.is_array()) return {};
  for (const Json& each : expressions) {
    const Json& values = text::member(each, "values");
    if (text::text_member(each, "key") == label && text::text_member(each, "operator") == "In" &&
        values.is_array() && values.size() == 1 && values[0].is_string())
      return values[0].get<std::string>();
  }
  return {};
}

class Finder {
 public:
  explicit Finder(const Json& object) : object_(object) {}

  std::vector<PodTemplate> run() {
    const std::string kind = text::text_member(object_, "kind");
    const Path spec("/spec");
    if (kind == "Pod") add(Maker::nobody, Path(), Path());
    if (kind == "Job") add(Maker::job, spec, spec / "template");
    if (kind == "CronJob") of_job(Maker::job, spec / "jobTemplate");
    if (kind == "Deployment" || kind == "ReplicaSet")
      add(Maker::deployment, spec, spec / "template");
    if (kind == "StatefulSet") add(Maker::stateful_set, spec, spec / "template");
    if (kind == "JobSet")
      each(spec / "replicatedJobs",
           [&](const Path& job) { of_job(Maker::jobset, job / "template"); });
    if (kind == "LeaderWorkerSet") {
      const Path group = spec / "leaderWorkerTemplate";
      add(Maker::lws_leader, group, group / "leaderTemplate");
      add(Maker::lws_workers, group, group / "workerTemplate");
    }
    if (kind == "RayCluster") of_ray(spec);
    if (kind == "RayJob") of_ray(spec / "rayClusterSpec");
    if (kind == "RayService") of_ray(spec / "rayClusterConfig");
    if (const auto* maker = plain_maker(kind)) of_plain(*maker, spec);
    return std::move(out_);
  }

 private:
  void add(Maker maker, const Path& holder, const Path& path) {
    const Json* found = path.empty() ? &object_ : find(object_, path);
    if (found != nullptr && found->is_object()) out_.emplace_back(object_, maker, holder, path);
  }

  void of_job(Maker maker, const Path& job) { add(maker, job / "spec", job / "spec" / "template"); }

  const PlainMaker* plain_maker(const std::string& kind) const {
    const std::string version = text::text_member(object_, "apiVersion");
    const auto found =
        webhook::workloads::find_object(objects::split_api_version(version).group, kind);
    return found ? found->object->maker : nullptr;
  }

  void of_plain(const PlainMaker& maker, const Path& spec) {
    const std::string pod_template(maker.pod_template);
    if (maker.parts.empty()) return add(Maker::plain, spec, spec / pod_template);
    each(spec / std::string(maker.parts),
         [&](const Path& part) { add(Maker::plain, part, part / pod_template); });
  }

  template <class F>
  void each(const Path& list, F&& visit) {
    const Json* found = find(object_, list);
    for (std::size_t i = 0; found != nullptr && found->is_array() && i < found->size(); ++i)
      visit(list / i);
  }

  void of_ray(const Path& cluster) {
    add(Maker::ray_head, cluster / "headGroupSpec", cluster / "headGroupSpec" / "template");
    each(cluster / "workerGroupSpecs",
         [&](const Path& group) { add(Maker::ray_workers, group, group / "template"); });
  }

  const Json& object_;
  std::vector<PodTemplate> out_;
};

Container container(const Path& path, const Json& value, bool init) {
  const Json& resources = text::member(value, "resources");
  const std::string tpu(key::tpu);
  const Json* limit = text::find_member(text::member(resources, "limits"), tpu);
  const Json* request = text::find_member(text::member(resources, "requests"), tpu);
  return {.path = path,
          .value = &value,
          .chips = std::max(whole(limit), whole(request)),
          .asks_for_tpu = limit != nullptr || request != nullptr,
          .init = init && text::text_member(value, "restartPolicy") != "Always"};
}

}  // namespace

PodTemplate::PodTemplate(const Json& object, Maker maker, Path holder, Path path)
    : object_(object), maker_(maker), holder_(std::move(holder)), path_(std::move(path)) {
  for (const char* list : {"containers", "initContainers"}) {
    const Path at = spec(list);
    const Json* all = value(at);
    for (std::size_t i = 0; all != nullptr && all->is_array() && i < all->size(); ++i)
      containers_.push_back(
          container(at / i, (*all)[i], std::string_view(list) == "initContainers"));
  }
}

Path PodTemplate::spec(std::string_view member) const {
  return member.empty() ? path_ / "spec" : path_ / "spec" / std::string(member);
}

Path PodTemplate::annotation(std::string_view key) const {
  return path_ / "metadata" / "annotations" / std::string(key);
}

const Json* PodTemplate::value(const Path& path) const {
  return find(object_, path);
}

std::string PodTemplate::text(const Path& path) const {
  const Json* found = value(path);
  return found != nullptr && found->is_string() ? found->get<std::string>() : std::string();
}

std::optional<std::uint32_t> PodTemplate::number(const Path& path) const {
  const Json* found = value(path);
  if (found == nullptr || !found->is_number_unsigned()) return std::nullopt;
  return found->get<std::uint32_t>();
}

bool PodTemplate::asks_for_tpu() const {
  return std::ranges::any_of(containers_, &Container::asks_for_tpu);
}

std::uint32_t PodTemplate::chips() const {
  std::uint32_t out = 0;
  for (const Container& each : containers_)
    if (!each.init) out += each.chips;
  return out;
}

std::string PodTemplate::accelerator() const {
  const std::string selected = text(selector(key::accelerator));
  const Json* pod = value(spec());
  return !selected.empty() || pod == nullptr ? selected : affinity(*pod, key::accelerator);
}

const topology::Generation* PodTemplate::generation() const {
  return topology::find_generation(accelerator());
}

std::string PodTemplate::topology() const {
  const std::string part =
      text(annotation(webhook::read::spelled(webhook::read::Annotation::sub_slice_topology)));
  if (!part.empty()) return part;
  const std::string selected = text(selector(key::topology));
  const Json* pod = value(spec());
  return !selected.empty() || pod == nullptr ? selected : affinity(*pod, key::topology);
}

std::optional<std::uint32_t> PodTemplate::hosts() const {
  const auto dims = topology::Dims::parse(topology());
  const std::uint32_t each = chips();
  if (!dims || each == 0 || dims->chips() % each != 0) return std::nullopt;
  return static_cast<std::uint32_t>(dims->chips() / each);
}

std::optional<std::uint32_t> PodTemplate::pods_of_slice() const {
  switch (maker_) {
    case Maker::job:
    case Maker::jobset:
      if (const auto completions = number(holder_ / "completions")) return completions;
      return number(holder_ / "parallelism").value_or(1);
    case Maker::ray_workers:
      return number(holder_ / "numOfHosts").value_or(1);
    case Maker::lws_leader:
    case Maker::lws_workers:
      return number(holder_ / "size").value_or(1);
    case Maker::stateful_set:
      return number(holder_ / "replicas").value_or(1);
    default:
      return std::nullopt;
  }
}

std::vector<PodTemplate> templates_of(const Json& object) {
  return Finder(object).run();
}

}  // namespace tpuwh::server::fixes
