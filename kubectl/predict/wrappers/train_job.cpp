#include "kubectl/predict/wrappers/train_job.hpp"

#include "base/names.hpp"
#include "kubectl/predict/wrappers/jobset.hpp"
#include "kubectl/predict/wrappers/runtime_patches.hpp"
#include "kubectl/predict/wrappers/train_policy.hpp"
#include "server/text/json_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

namespace tpuwh::server::wrappers {

namespace {

using expand::array_or_empty;
using expand::check_counts;
using expand::check_members;
using expand::need_object;
using expand::need_text;
using expand::object_or_empty;
using expand::Shape;

constexpr std::size_t most_env = 128;  // of a list of variables (its CRD)

Result<void> check_env(const Json& holder, const std::string& path) {
  if (array_or_empty(holder, "env").size() <= most_env) return {};
  return bad_value(fmt::format("has more than {} variables", most_env), path + ".env");
}

Result<void> check_trainer(const Json& spec) {
  const Json& trainer = object_or_empty(spec, "trainer");
  const std::string path = "spec.trainer";
  if (auto good = check_members(trainer,
                                {{"image", Shape::string},
                                 {"command", Shape::strings},
                                 {"args", Shape::strings},
                                 {"env", Shape::objects},
                                 {"resourcesPerNode", Shape::object}},
                                path);
      !good)
    return good;
  if (auto good = check_counts(trainer, {"numNodes", "numProcPerNode"}, path); !good) return good;
  if (auto good = check_env(trainer, path); !good) return good;
  return check_members(object_or_empty(trainer, "resourcesPerNode"),
                       {{"limits", Shape::object}, {"requests", Shape::object}},
                       path + ".resourcesPerNode");
}

Result<void> check_spec(const Json& spec) {
  if (auto good = check_members(spec,
                                {{"trainer", Shape::object},
                                 {"initializer", Shape::object},
                                 {"suspend", Shape::boolean},
                                 {"managedBy", Shape::string},
                                 {"activeDeadlineSeconds", Shape::integer}},
                                "spec");
      !good)
    return good;
  if (auto good =
          check_members(object_or_empty(spec, "initializer"),
                        {{"dataset", Shape::object}, {"model", Shape::object}}, "spec.initializer");
      !good)
    return good;
  for (const char* which : {"dataset", "model"}) {
    const Json& step = object_or_empty(object_or_empty(spec, "initializer"), which);
    const std::string path = fmt::format("spec.initializer.{}", which);
    if (auto good =
            check_members(step, {{"storageUri", Shape::string}, {"env", Shape::objects}}, path);
        !good)
      return good;
    if (auto good = check_env(step, path); !good) return good;
  }
  return check_trainer(spec);
}

// source: trainjob_types.go (its name is a label of DNS that begins with a letter).
Result<void> check_name(const std::string& name) {
  const bool letter = !name.empty() && name.front() >= 'a' && name.front() <= 'z';
  if (letter && base::is_dns_label(name)) return {};
  return bad_value(fmt::format("{} is not a letter, then at most 62 lower-case letters, digits and "
                               "inner dashes",
                               base::printable(name)),
                   "metadata.name");
}

// Which runtime a TrainJob names.
struct RuntimeRef {
  std::string kind, ns, name;
  std::string words() const { return fmt::format("{} {}", kind, base::printable(name)); }
};

Result<RuntimeRef> runtime_ref(const Json& spec, const expand::Owner& self) {
  const auto ref = need_object(spec, "runtimeRef", "spec");
  if (!ref) return ref.error();
  const auto name = need_text(**ref, "name", "spec.runtimeRef");
  if (!name) return name.error();
  const std::string group = text::text_member(**ref, "apiGroup");
  std::string kind = text::text_member(**ref, "kind");
  if (kind.empty()) kind = "ClusterTrainingRuntime";
  const bool ours = group.empty() || group == "trainer.kubeflow.org";
  if (!ours || (kind != "ClusterTrainingRuntime" && kind != "TrainingRuntime"))
    return bad_value(
        fmt::format(
            "expected TrainingRuntime or ClusterTrainingRuntime of trainer.kubeflow.org, got {}{}",
            base::printable(kind), ours ? "" : " of " + base::printable(group)),
        "spec.runtimeRef");
  return RuntimeRef{kind, kind == "TrainingRuntime" ? self.ns : "", *name};
}

Result<void> check_metadata(const Json& object, const std::string& path) {
  if (auto good = check_members(object, {{"metadata", Shape::object}}, path); !good) return good;
  return check_members(object_or_empty(object, "metadata"),
                       {{"labels", Shape::string_map}, {"annotations", Shape::string_map}},
                       expand::below(path, "metadata"));
}

Result<void> check_replicated_job(const Json& job, const std::string& path) {
  if (auto name = need_text(job, "name", path); !name) return name.error();
  const Json* inner = &job;
  std::string here = path;
  for (const char* key : {"template", "spec", "template", "spec"}) {
    const auto found = need_object(*inner, key, here);
    if (!found) return found.error();
    inner = *found;
    here = expand::below(here, key);
    if (auto good = check_metadata(*inner, here); !good) return good;
  }
  if (auto good = check_members(*inner, {{"containers", Shape::objects}}, here); !good) return good;
  if (!inner->contains("containers")) return bad_value("is missing", here + ".containers");
  for (const Json& each : array_or_empty(*inner, "containers"))
    if (auto good = check_members(
            each, {{"env", Shape::objects}, {"envFrom", Shape::objects}, {"ports", Shape::objects}},
            here + ".containers");
        !good)
      return good;
  return {};
}

// spec.template of a runtime, with all that is changed of it.
Result<Json> jobset_template(const Json& runtime) {
  const auto spec = need_object(runtime, "spec", "");
  if (!spec) return spec.error();
  if (auto good = check_members(**spec, {{"mlPolicy", Shape::object}}, "spec"); !good)
    return good.error();
  const auto found = need_object(**spec, "template", "spec");
  if (!found) return found.error();
  if (auto good = check_metadata(**found, "spec.template"); !good) return good.error();
  const auto jobset = need_object(**found, "spec", "spec.template");
  if (!jobset) return jobset.error();
  if (auto good =
          check_members(**jobset, {{"replicatedJobs", Shape::objects}}, "spec.template.spec");
      !good)
    return good.error();
  std::size_t number = 0;
  for (const Json& job : array_or_empty(**jobset, "replicatedJobs"))
    if (auto good = check_replicated_job(
            job, fmt::format("spec.template.spec.replicatedJobs[{}]", number++));
        !good)
      return good.error();
  if (number == 0) return bad_value("is missing", "spec.template.spec.replicatedJobs");
  return **found;
}

std::string ancestor_of(const Json& job) {
  const Json& metadata = object_or_empty(object_or_empty(job, "template"), "metadata");
  return text::text_member(object_or_empty(metadata, "labels"), ancestor_label);
}

// source: newRuntimeInfo.
std::vector<PodSet> pod_sets(Json& jobs, const Json& policy, bool has_policy) {
  std::vector<PodSet> out;
  for (Json& job : jobs) {
    PodSet pods{.job = &job, .name = text::text_member(job, "name"), .ancestor = ancestor_of(job)};
    const Json& spec = object_or_empty(object_or_empty(job, "template"), "spec");
    pods.count = std::max<std::uint64_t>(expand::count_or(spec, "parallelism", 1), 1);
    pods.count_of_runtime = true;
    pods.count_at =
        fmt::format("/spec/template/spec/replicatedJobs/{}/template/spec/parallelism", out.size());
    if (pods.ancestor == "trainer" && has_policy) {
      pods.count = std::max<std::uint64_t>(expand::count_or(policy, "numNodes", 1), 1);
      pods.count_at = "/spec/mlPolicy/numNodes";
    }
    out.push_back(std::move(pods));
  }
  return out;
}

void set_initializer(const Training& training, PodSet& pods, const char* which) {
  if (pods.ancestor != fmt::format("{}-initializer", which)) return;
  (*pods.job)["replicas"] = 1;
  const Json& own = object_or_empty(object_or_empty(training.spec, "initializer"), which);
  Json* container = container_of(pods, pods.ancestor);
  if (container == nullptr || own.empty()) return;
  if (own.contains("storageUri"))
    upsert_env(*container, {{"name", "STORAGE_URI"}, {"value", own["storageUri"]}});
  for (const Json& each : array_or_empty(own, "env")) upsert_env(*container, each);
  const Json& secret = object_or_empty(own, "secretRef");
  if (!secret.contains("name")) return;
  Json source;
  source["secretRef"]["name"] = secret["name"];
  (*container)["envFrom"].push_back(std::move(source));
}

// source: builder.go, Trainer.
void set_trainer(const Training& training, PodSet& pods) {
  const bool trains = pods.ancestor == "trainer";
  const bool launched =
      expand::flag_or(object_or_empty(training.policy(), "mpi"), "runLauncherAsNode", false) &&
      pods.name == trainer_container;
  if (trains) (*pods.job)["replicas"] = 1;
  const Json& trainer = training.trainer();
  Json* container = container_of(pods, trainer_container);
  if (container == nullptr || (!trains && !launched)) return;
  if (trains)
    for (const char* key : {"image", "command", "args"})
      if (trainer.contains(key)) (*container)[key] = trainer[key];
  const Json& resources = object_or_empty(trainer, "resourcesPerNode");
  if (resources.contains("limits") || resources.contains("requests")) {
    Json made = Json::object();
    for (const char* key : {"limits", "requests"})
      if (resources.contains(key)) made[key] = resources[key];
    (*container)["resources"] = std::move(made);
  }
  for (const Json& each : array_or_empty(trainer, "env")) upsert_env(*container, each);
}

void set_counts(PodSet& pods) {
  Json& spec = (*pods.job)["template"]["spec"];
  spec["parallelism"] = pods.count;
  spec["completions"] = pods.count;
  // Each port of a container is upserted among all of them (jobset.go, Build).
  for (Json& container : spec["template"]["spec"]["containers"]) {
    const Json ports = array_or_empty(container, "ports");
    for (const Json& each : ports) upsert_port(container, each);
  }
}

void set_gang(const Training& training, PodSet& pods) {
  const Json& policy = object_or_empty(training.runtime, "podGroupPolicy");
  Json& pod = (*pods.job)["template"]["spec"]["template"];
  if (policy.contains("coscheduling"))
    expand::set_label(pod, "scheduling.x-k8s.io/pod-group", training.name);
  if (policy.contains("volcano"))
    expand::set_annotation(pod, "scheduling.k8s.io/group-name", training.name);
}

// Which part of the JobSet is written where.
class Origins {
 public:
  Origins(const expand::Owner& self, const RuntimeRef& runtime, source::Origin& origin)
      : self_(self), runtime_(runtime), origin_(origin) {}

  void all(const Json& jobset_template) {
    by_runtime("/spec", "/spec/template/spec");
    by_job("/metadata/name", "/metadata/name");
    for (const char* key : {"labels", "annotations"})
      if (object_or_empty(jobset_template, "metadata").contains(key))
        by_runtime(fmt::format("/metadata/{}", key),
                   fmt::format("/spec/template/metadata/{}", key));
    by_job("/spec/suspend", "/spec/suspend");
  }

  // Its place among the replicated jobs, and whether a patch of the TrainJob changed it.
  void pods(const PodSet& pods, std::size_t place, bool patched, const Training& training) {
    const std::string job = fmt::format("/spec/replicatedJobs/{}", place);
    const std::string spec = job + "/template/spec";
    if (patched) nowhere(job + "/template");
    for (const char* key : {"/parallelism", "/completions"})
      if (pods.count_at.empty())
        nowhere(spec + key);
      else if (pods.count_of_runtime)
        by_runtime(spec + key, pods.count_at);
      else
        by_job(spec + key, pods.count_at);
    nowhere(job + "/replicas");
    containers(pods, spec + "/template/spec/containers", training);
  }

 private:
  void containers(const PodSet& pods, const std::string& list, const Training& training) {
    std::size_t number = 0;
    for (const Json& each : (*pods.job)["template"]["spec"]["template"]["spec"]["containers"]) {
      const std::string here = fmt::format("{}/{}", list, number++);
      if (text::text_member(each, "name") != trainer_container) continue;
      nowhere(here + "/env");
      nowhere(here + "/ports");
      if (training.trainer().contains("resourcesPerNode"))
        by_job(here + "/resources", "/spec/trainer/resourcesPerNode");
    }
  }

  void by_runtime(std::string part, std::string at) {
    origin_.written.push_back(
        {std::move(part), runtime_.kind, runtime_.ns, runtime_.name, std::move(at)});
  }
  void by_job(std::string part, std::string at) {
    origin_.written.push_back({std::move(part), self_.kind, self_.ns, self_.name, std::move(at)});
  }
  void nowhere(std::string part) { origin_.written.push_back({std::move(part), {}, {}, {}, {}}); }

  const expand::Owner& self_;
  const RuntimeRef& runtime_;
  source::Origin& origin_;
};

std::vector<std::string> notes_of(const Json& spec) {
  std::vector<std::string> out;
  if (text::text_member(spec, "managedBy") == "kueue.x-k8s.io/multikueue")
    out.emplace_back(
        "managedBy is kueue.x-k8s.io/multikueue: the controller of this cluster leaves the "
        "TrainJob to it, and creates none of these Pods");
  if (const auto seconds = expand::number(spec, "activeDeadlineSeconds"); seconds && *seconds > 0)
    out.push_back(
        fmt::format("the TrainJob ends {} s after it began (activeDeadlineSeconds), even if its "
                    "Pods still wait for nodes",
                    *seconds));
  if (spec.contains("podTemplateOverrides"))
    out.emplace_back(
        "podTemplateOverrides is of Kubeflow Trainer before 2.2; 2.2.1 has runtimePatches instead, "
        "and does not read it");
  return out;
}

Json jobset_of(const expand::Owner& self, const Json& jobset_template, const Json& train_job_spec) {
  Json out = begin_jobset(self, object_or_empty(jobset_template, "metadata"));
  out["metadata"]["ownerReferences"] =
      Json::array({{{"apiVersion", "trainer.kubeflow.org/v1alpha1"},
                    {"kind", self.kind},
                    {"name", self.name},
                    {"uid", self.uid()},
                    {"controller", true},
                    {"blockOwnerDeletion", true}}});
  out["spec"] = jobset_template["spec"];
  out["spec"].erase("suspend");
  if (train_job_spec.contains("suspend")) out["spec"]["suspend"] = train_job_spec["suspend"];
  return out;
}

// source: Validate of the torch plugin.
Result<void> check_reserved(const Training& training) {
  if (!training.policy().contains("torch")) return {};
  for (const Json& each : array_or_empty(training.trainer(), "env")) {
    const std::string name = text::text_member(each, "name");
    for (const char* reserved : {"PET_NNODES", "PET_NPROC_PER_NODE", "PET_NODE_RANK",
                                 "PET_MASTER_ADDR", "PET_MASTER_PORT"})
      if (name == reserved)
        return bad_value(fmt::format("has {}, which Kubeflow Trainer's policy torch sets", name),
                         "spec.trainer.env");
  }
  return {};
}

Making not_known(std::string sentence) {
  return {.faults = {{.sentence = std::move(sentence)}}};
}

}  // namespace

Making make_of_train_job(const Json& object, const expand::Owner& self, const Beside& beside) {
  if (auto good = check_name(self.name); !good) return refused(good.error());
  const auto spec = need_object(object, "spec", "");
  if (!spec) return refused(spec.error());
  if (auto good = check_spec(**spec); !good) return refused(good.error());
  const auto ref = runtime_ref(**spec, self);
  if (!ref) return refused(ref.error());
  const source::Manifest* found = beside(ref->kind, ref->ns, ref->name);
  if (found == nullptr)
    return {.faults = {
                {.sentence = fmt::format("{} is not in the input: the JobSet that is made of it is "
                                         "not known",
                                         ref->words()),
                 .fix = fmt::format(
                     "add it to the input: kubectl get {} {} -o yaml",
                     ref->kind == "TrainingRuntime" ? "trainingruntime" : "clustertrainingruntime",
                     base::printable(ref->name))}}};
  const Json runtime = expand::without_nulls(found->object);
  auto made = jobset_template(runtime);
  if (!made)
    return refused(Error(made.error().code(), std::string(made.error().text()), ref->words()));
  const auto patched = merge_runtime_patches(**spec, *made);
  if (!patched) return refused(patched.error());
  const Training training{self.name, **spec, runtime["spec"]};
  if (auto good = check_reserved(training); !good) return refused(good.error());
  std::vector<PodSet> all = pod_sets((*made)["spec"]["replicatedJobs"], training.policy(),
                                     training.runtime.contains("mlPolicy"));
  if (training.policy().contains("jax") &&
      std::ranges::none_of(all, [](const PodSet& each) { return each.ancestor == "trainer"; }))
    return not_known(
        fmt::format("{}: no Job template has label {}: trainer, and Kubeflow Trainer "
                    "2.2.1 makes nothing of it",
                    ref->words(), ancestor_label));
  enforce_policy(training, all);
  Making out;
  Made& jobset = out.made.emplace_back();
  Origins origins(self, *ref, jobset.origin);
  origins.all(*made);
  for (std::size_t i = 0; i < all.size(); ++i) {
    set_counts(all[i]);
    for (const char* which : {"dataset", "model"}) set_initializer(training, all[i], which);
    set_trainer(training, all[i]);
    set_gang(training, all[i]);
    origins.pods(all[i], i, patched->contains(all[i].name), training);
  }
  jobset.object = jobset_of(self, *made, **spec);
  jobset.origin.notes = notes_of(**spec);
  jobset.of = ref->words();
  return out;
}

}  // namespace tpuwh::server::wrappers
