// `explain --dry-run` without a cluster: what is sent, and what is made of the answers. What quotas
// hold is in quota_test.cpp.
#include "kubectl/predict/trial/trial.hpp"

#include "kubectl/predict/trial/difference.hpp"
#include "webhook/answer/probe.hpp"

#include "kubectl/text/yaml.hpp"
#include "tests/support/yaml.hpp"
#include "tests/unit/kubectl/inspect/dry_run/answers.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

namespace tpuwh::server::trial {
namespace {

using dry_run::accepted;
using dry_run::refusal;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using To = std::function<dry_run::Answer(const Json&)>;

const std::string prefix = "tpu-webhook.dev/";
const std::string nonce = "00112233445566778899aabbccddeeff";

Json job() {
  return test::yaml(
      "{apiVersion: batch/v1, kind: Job, metadata: {name: train, namespace: ml}, spec: {}}");
}

Json member(int index, const std::string& chips = "4") {
  return test::yaml(fmt::format(R"(
metadata:
  name: train-{0}
  labels: {{batch.kubernetes.io/job-completion-index: "{0}"}}
  annotations: {{batch.kubernetes.io/job-completion-index: "{0}"}}
spec:
  hostname: train-{0}
  containers:
  - {{name: main, image: i, env: [], resources: {{limits: {{google.com/tpu: "{1}", cpu: 500m}}}}}}
)",
                                index, chips));
}

// As tpu-webhook leaves it.
Json injected(Json pod, const std::string& id) {
  pod["spec"]["containers"][0]["env"] = Json::array({{{"name", "TPU_WORKER_ID"}, {"value", id}}});
  pod["metadata"]["annotations"][prefix + "injected"] = "main: TPU_WORKER_ID=00";
  pod["metadata"]["labels"][prefix + "slice-key"] = "abc";
  return pod;
}

// An API server that answers each kind in one way, and remembers what it was sent.
struct World {
  std::vector<source::Manifest> manifests = {{.file = "f", .object = job()}};
  Samples samples = {};
  To to_object = [](const Json& o) { return accepted(o); };
  To to_pod = [](const Json& o) {
    return accepted(injected(o, "0"), {webhook::answer::probe_text(nonce, "replica-a")});
  };
  std::optional<std::vector<Json>> quotas = std::vector<Json>();
  std::vector<std::pair<std::string, Json>> sent = {};  // path, object

  std::vector<Tried> run() {
    const Asking asking{.create =
                            [&](const kube::client::Resource& resource, const Json& object) {
                              sent.emplace_back(resource.path(), object);
                              return resource.plural == "pods" ? to_pod(object) : to_object(object);
                            },
                        .quotas = [&](const std::string&) { return quotas; }};
    const TrialRequest request{
        .manifests = manifests, .rules = {}, .ns = "default", .prefix = prefix, .nonce = nonce};
    return run_trial(request, samples, asking);
  }
};

// Returns an answer function that refuses objects of this kind and accepts all others.
To refuses(const std::string& kind, unsigned code, const std::string& reason,
           const std::string& message) {
  return [=](const Json& object) {
    return object["kind"] == kind ? refusal(code, reason, message) : accepted(object);
  };
}

// Adds an object to the input.
void add_to_input(World& world, const std::string& yaml) {
  world.manifests.push_back({.file = "f", .object = test::yaml(yaml)});
}

World with_members(int count) {
  World world;
  for (int i = 0; i < count; ++i) {
    const Json pod = member(i), ours = injected(pod, std::to_string(i));
    world.samples.add(job(), "ml", pod, &ours);
  }
  return world;
}

TEST(Trial, sends_the_object_and_one_pod_of_its_template) {
  World world = with_members(4);
  const auto tried = world.run();
  ASSERT_THAT(world.sent, SizeIs(2));
  EXPECT_EQ(world.sent[0].first, "/apis/batch/v1/namespaces/ml/jobs");
  EXPECT_EQ(world.sent[1].first, "/api/v1/namespaces/ml/pods");
  EXPECT_EQ(world.sent[1].second["metadata"]["annotations"][prefix + "probe"], nonce);
  EXPECT_EQ(world.sent[1].second["metadata"]["namespace"], "ml");
  ASSERT_THAT(tried, SizeIs(2));
  EXPECT_EQ(words(tried[0]), "Job ml/train: admitted");
  EXPECT_EQ(words(tried[1]),
            "4 Pods of Job ml/train: admitted: replica replica-a answers as this program does");
  EXPECT_THAT(tried[1].differs, IsEmpty());
}

TEST(Trial, two_templates_are_two_pods) {
  World world = with_members(2);
  const Json larger = member(2, "8"), ours = injected(larger, "0");
  world.samples.add(job(), "ml", larger, &ours);
  EXPECT_THAT(world.run(), SizeIs(3));
}

TEST(Trial, what_the_running_webhook_does_otherwise_is_said) {
  World world = with_members(1);
  world.to_pod = [](const Json& pod) {
    return accepted(injected(pod, "7"), {webhook::answer::probe_text(nonce, "replica-a")});
  };
  const auto tried = world.run();
  EXPECT_THAT(tried[1].sentence, HasSubstr("replica-a answers otherwise than this program"));
  EXPECT_THAT(tried[1].differs,
              ElementsAre("TPU_WORKER_ID of container main is 7, and 0 by this program"));
}

TEST(Trial, shadow_mode_and_nobody_are_no_difference) {
  World world = with_members(1);
  world.to_pod = [](const Json& pod) {
    return accepted(pod, {webhook::answer::probe_text(nonce, "replica-a"),
                          "shadow mode: this Pod would have been patched as x"});
  };
  EXPECT_THAT(world.run()[1].sentence, HasSubstr("replica-a is in shadow mode"));
  EXPECT_THAT(world.run()[1].differs, IsEmpty());
  world.to_pod = [](const Json& pod) { return accepted(pod); };
  EXPECT_THAT(world.run()[1].sentence, HasSubstr("no replica of tpu-webhook answered"));
  EXPECT_THAT(world.run()[1].differs, IsEmpty());
}

TEST(Trial, a_pod_that_this_program_refuses_and_the_running_one_admits) {
  World world;
  world.samples.add(job(), "ml", member(0), nullptr);
  EXPECT_THAT(world.run()[1].differs, ElementsAre("it is admitted, and refused by this program"));
}

TEST(Trial, who_refuses_is_named) {
  World world = with_members(1);
  world.to_object = [](const Json&) {
    return refusal(403, "Forbidden", "admission webhook \"a.b.c\" denied the request: no owner");
  };
  world.to_pod = [](const Json&) {
    return refusal(403, "Forbidden",
                   "pods \"train-0\" is forbidden: violates PodSecurity \"restricted:latest\": x");
  };
  const auto tried = world.run();
  EXPECT_EQ(words(tried[0]), "Job ml/train: refused: webhook a.b.c denied it: no owner");
  EXPECT_EQ(words(tried[1]),
            "Pod of Job ml/train: refused: Pod Security at level restricted:latest refused it: x");
}

// ---- what could not be asked is no refusal

TEST(Trial, a_namespace_of_the_same_input_was_not_asked_and_another_is_missing) {
  World world = with_members(1);
  world.to_object = world.to_pod = [](const Json&) {
    return refusal(404, "NotFound", "namespaces \"ml\" not found");
  };
  EXPECT_EQ(world.run()[0].said, Said::refused);
  add_to_input(world, "{apiVersion: v1, kind: Namespace, metadata: {name: ml}}");
  const auto tried = world.run();
  EXPECT_EQ(
      words(tried[0]),
      "Job ml/train: could not be asked: Namespace ml stands in the input, and is not there yet");
  EXPECT_EQ(tried.back().said, Said::not_asked);
}

TEST(Trial, an_account_and_a_priority_class_of_the_same_input) {
  World world = with_members(1);
  world.to_pod = [](const Json&) {
    return refusal(403, "Forbidden",
                   "pods \"p\" is forbidden: error looking up service account ml/default: x");
  };
  EXPECT_EQ(world.run()[1].said, Said::refused);
  add_to_input(world, "{kind: ServiceAccount, metadata: {name: default, namespace: ml}}");
  EXPECT_EQ(world.run().back().said, Said::not_asked);
  world.to_pod = [](const Json&) {
    return refusal(403, "Forbidden",
                   "pods \"p\" is forbidden: no PriorityClass with name high was found");
  };
  EXPECT_EQ(world.run().back().said, Said::refused);
  add_to_input(world, "{kind: PriorityClass, metadata: {name: high}}");
  EXPECT_THAT(world.run().back().sentence, HasSubstr("PriorityClass high stands in the input"));
}

TEST(Trial, what_who_asks_may_not_do_and_what_exists_is_not_asked) {
  for (const auto& answer :
       {refusal(403, "Forbidden", "pods is forbidden: User \"u\" cannot create resource \"pods\""),
        refusal(409, "AlreadyExists", "jobs.batch \"train\" already exists"),
        refusal(400, "BadRequest", "admission webhook \"a.b\" does not support dry run"),
        refusal(429, "TooManyRequests", "later"), dry_run::Answer{.error = "refused"}}) {
    World world = with_members(1);
    world.to_object = world.to_pod = [&](const Json&) { return answer; };
    for (const Tried& each : world.run()) EXPECT_EQ(each.said, Said::not_asked) << words(each);
  }
}

TEST(Trial, a_ray_worker_without_indices_and_a_follower_are_not_sent) {
  World world;
  Json worker = member(0);
  worker["metadata"]["labels"] = {{"ray.io/node-type", "worker"}};
  world.samples.add(job(), "ml", worker, nullptr);
  Json follower = member(1, "8");
  follower["metadata"]["annotations"]["alpha.jobset.sigs.k8s.io/exclusive-topology"] = "pool";
  world.samples.add(job(), "ml", follower, nullptr);
  const auto tried = world.run();
  EXPECT_THAT(world.sent, SizeIs(1));
  EXPECT_THAT(tried[1].sentence, HasSubstr("when its RayCluster is stored"));
  EXPECT_THAT(tried[2].sentence, HasSubstr("until its leader is bound"));
  EXPECT_EQ(tried[1].said, Said::not_asked);
}

// ---- what controllers make

constexpr const char* jobset = R"(
apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata: {name: train}
spec:
  replicatedJobs:
  - name: workers
    replicas: 4
    template: {spec: {parallelism: 2, completions: 2, template: {spec: {containers: [{name: c}]}}}}
)";

constexpr const char* train_job = R"(
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata: {name: t}
spec: {runtimeRef: {name: r, kind: TrainingRuntime}}
---
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainingRuntime
metadata: {name: r}
spec:
  template:
    spec:
      replicatedJobs:
      - name: node
        template: {spec: {template: {spec: {containers: [{name: node}]}}}}
)";

World with_input(const std::string& yaml) {
  World world;
  world.manifests.clear();
  const auto documents = text::parse_yaml(yaml);
  EXPECT_TRUE(documents);
  if (documents)
    for (const Json& each : *documents) world.manifests.push_back({.file = "f", .object = each});
  return world;
}

std::vector<std::string> all_words(const std::vector<Tried>& tried) {
  std::vector<std::string> out;
  for (const Tried& each : tried) out.push_back(words(each));
  return out;
}

TEST(Trial, what_a_jobset_makes_is_sent_with_its_owner) {
  World world = with_input(jobset);
  EXPECT_THAT(
      all_words(world.run()),
      ElementsAre("JobSet default/train: admitted",
                  "Service default/train of JobSet default/train: admitted",
                  "Job default/train-workers-0 (first of 4) of JobSet default/train: admitted"));
  EXPECT_EQ(world.sent[1].first, "/api/v1/namespaces/default/services");
  EXPECT_EQ(world.sent[2].first, "/apis/batch/v1/namespaces/default/jobs");
  EXPECT_EQ(world.sent[2].second["metadata"]["ownerReferences"][0]["name"], "train");
}

// The part of a name that the cluster generates is shown as "*".
TEST(Trial, what_is_made_of_what_is_made_is_sent_too) {
  const std::pair<std::string, std::vector<std::string>> cases[] = {
      {train_job,
       {"TrainJob default/t: admitted", "JobSet default/t of TrainJob default/t: admitted",
        "Service default/t of JobSet default/t: admitted",
        "Job default/t-node-0 of JobSet default/t: admitted",
        "TrainingRuntime: could not be asked: objects of these kinds are not sent"}},
      {"{apiVersion: ray.io/v1, kind: RayJob, metadata: {name: r}, spec: {entrypoint: e, "
       "rayClusterSpec: {headGroupSpec: {template: {spec: {containers: [{name: c}]}}}}}}",
       {"RayJob default/r: admitted", "RayCluster default/r-* of RayJob default/r: admitted",
        "Service default/r-*-head-svc of RayCluster default/r-*: admitted",
        "Job default/r of RayJob default/r: admitted"}},
      {"{apiVersion: apps/v1, kind: Deployment, metadata: {name: d}, spec: {selector: "
       "{matchLabels: {a: b}}, template: {spec: {containers: [{name: c}]}}}}",
       {"Deployment default/d: admitted",
        "ReplicaSet default/d-* of Deployment default/d: admitted"}},
  };
  for (const auto& [input, want] : cases) EXPECT_EQ(all_words(with_input(input).run()), want);
}

TEST(Trial, a_service_of_the_input_is_the_one_that_a_controller_takes) {
  const std::string service = "---\n{apiVersion: v1, kind: Service, metadata: {name: train}}";
  World world = with_input(jobset + service);
  world.run();
  EXPECT_THAT(world.sent, SizeIs(3));
}

// As Kueue's webhook does.
dry_run::Answer looks_for_owner(const Json& object) {
  if (!object["metadata"].contains("ownerReferences")) return accepted(object);
  return refusal(
      404, "NotFound",
      "admission webhook \"mjob.kb.io\" denied the request: jobsets \"train\" not found");
}

TEST(Trial, what_a_controller_makes_is_asked_of_in_its_place) {
  const auto without_owner_too = [](const Json& object) {
    const auto answer = looks_for_owner(object);
    return object["kind"] != "Job" || !answer.accepted()
               ? answer
               : refusal(403, "Forbidden",
                         "jobs.batch \"x\" is forbidden: exceeded quota: small, requested: y");
  };
  const struct {
    To to_object;
    std::size_t which;  // 1 is the Service, 2 the Job
    std::string want;
  } cases[] = {
      {refuses("Service", 409, "AlreadyExists", "services exists"), 1,
       ": could not be asked: one of this name exists, and is taken as it is"},
      {refuses("Job", 403, "Forbidden", "jobs.batch is forbidden: User \"u\" cannot create x"), 2,
       ": could not be asked: the permission to create it is missing, which its controller needs, "
       "and you do not: User \"u\" cannot create x"},
      {looks_for_owner, 2,
       ": could not be asked: without its owner, which is not stored, it is admitted; with it, "
       "webhook mjob.kb.io denied it: jobsets \"train\" not found"},
      {without_owner_too, 2,
       ": refused: ResourceQuota small refused it: exceeded quota: small, requested: y"},
      {refuses(
           "Job", 422, "Invalid",
           "jobs.batch \"x\" is forbidden: ValidatingAdmissionPolicy 'no-jobs' with binding 'b' "
           "denied request: none here"),
       2, ": refused: admission policy no-jobs denied it: none here"},
  };
  for (const auto& each : cases) {
    World world = with_input(jobset);
    world.to_object = each.to_object;
    EXPECT_THAT(words(world.run().at(each.which)), testing::EndsWith(each.want));
  }
}

TEST(Trial, a_kind_that_only_a_controller_creates_may_be_of_another_version) {
  World world = with_input(train_job);
  world.to_object = [](const Json&) { return refusal(404, "NotFound", "the server has it not"); };
  const auto tried = world.run();
  EXPECT_EQ(tried[0].said, Said::refused);
  EXPECT_EQ(tried[1].said, Said::not_asked);
}

// ---- the sum

Json quota(const Json& hard, const Json& used = Json::object()) {
  return {{"metadata", {{"name", "compute"}}},
          {"spec", {{"hard", hard}}},
          {"status", {{"used", used}}}};
}

TEST(Trial, each_pod_fits_and_their_sum_does_not) {
  World world = with_members(4);
  world.quotas =
      std::vector{quota({{"requests.google.com/tpu", "12"}}, {{"requests.google.com/tpu", "4"}})};
  const auto tried = world.run();
  EXPECT_EQ(words(tried.back()),
            "all 4 Pods of namespace ml: refused: ResourceQuota compute: the Pods ask together for "
            "16 of requests.google.com/tpu, and 4 of 12 are used");
  world.quotas =
      std::vector{quota({{"requests.google.com/tpu", "20"}}, {{"requests.google.com/tpu", "4"}})};
  EXPECT_THAT(world.run(), SizeIs(2));
  world.quotas = std::nullopt;
  EXPECT_EQ(world.run().back().said, Said::not_asked);
}

TEST(Trial, objects_are_counted_with_those_that_controllers_make) {
  World world = with_input(jobset);
  world.quotas = std::vector{quota({{"count/jobs.batch", "5"}, {"services", "3"}},
                                   {{"count/jobs.batch", "2"}, {"services", "3"}})};
  const auto tried = world.run();
  ASSERT_THAT(tried, SizeIs(4));  // of one Service the API server has spoken
  EXPECT_EQ(words(tried.back()),
            "all 4 Jobs of namespace default: refused: ResourceQuota compute: the Jobs ask "
            "together for 4 of count/jobs.batch, and 2 of 5 are used");
  world.to_object = [](const Json&) { return refusal(429, "TooManyRequests", "later"); };
  EXPECT_EQ(words(world.run().back()),
            "the Service of namespace default: refused: ResourceQuota compute: the Service asks "
            "for 1 of services, and 3 of 3 are used");
}

TEST(Trial, what_exists_is_counted_by_the_quota_already) {
  World world = with_input(jobset);
  const Json pod = member(0);
  for (int i = 0; i < 8; ++i) world.samples.add(world.manifests[0].object, "default", pod, nullptr);
  world.quotas = std::vector{quota({{"count/jobs.batch", "3"}, {"pods", "7"}})};
  EXPECT_THAT(world.run(), SizeIs(6));
  world.to_object = refuses("JobSet", 409, "AlreadyExists", "train exists");
  EXPECT_THAT(world.run(), SizeIs(4));
}

// ---- differences

constexpr auto required = "requiredDuringSchedulingIgnoredDuringExecution";

TEST(Differences, are_of_what_the_webhook_writes_alone) {
  const Json ours = injected(member(0), "0");
  Json theirs = ours;
  theirs["spec"]["containers"][0]["env"].push_back({{"name", "MY_OWN"}, {"value", "x"}});
  theirs["spec"]["containers"][0]["terminationMessagePath"] = "/dev/termination-log";
  theirs["metadata"]["labels"]["team"] = "a";
  theirs["metadata"]["annotations"][prefix + "probe"] = nonce;
  theirs["metadata"]["annotations"][prefix + "injected"] = "another text of the same";
  EXPECT_THAT(differences(theirs, ours, prefix), IsEmpty());
  theirs["metadata"]["labels"].erase(prefix + "slice-key");
  const Json term = {{"topologyKey", "zone"},
                     {"labelSelector", {{"matchLabels", {{"job-key", "x"}}}}}};
  theirs["spec"]["affinity"]["podAffinity"][required].push_back(term);
  EXPECT_THAT(differences(theirs, ours, prefix), ElementsAre(HasSubstr("slice-key (label)")));
  theirs["spec"]["affinity"]["podAffinity"][required][0]["labelSelector"]["matchLabels"] = {
      {prefix + "slice-key", "abc"}};
  theirs["spec"]["containers"][0]["env"][0] = {
      {"name", "TPU_WORKER_ID"}, {"valueFrom", {{"fieldRef", {{"fieldPath", "metadata.name"}}}}}};
  EXPECT_THAT(
      differences(theirs, ours, prefix),
      ElementsAre("TPU_WORKER_ID of container main is of metadata.name, and 0 by this program",
                  "tpu-webhook.dev/slice-key (label) is not there, and abc by this program",
                  "spec.affinity is another than by this program"));
}

}  // namespace
}  // namespace tpuwh::server::trial
