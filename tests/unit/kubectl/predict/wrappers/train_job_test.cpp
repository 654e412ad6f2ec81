#include "kubectl/predict/wrappers/train_job.hpp"

#include "kubectl/predict/wrappers/written.hpp"
#include "tests/unit/kubectl/predict/wrappers/opened.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

namespace tpuwh::server::wrappers {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// A TrainJob and its runtime, of which each test says what it is about.
struct TrainTexts {
  std::string policy = "mlPolicy: {numNodes: 2, jax: {}}, ";
  std::string job = {};        // more of the replicated job's Job spec
  std::string container = {};  // more of container node
  std::string trainer = "trainer: {numNodes: 4}";
  std::string ref = "{name: r}";
  std::string kind = "ClusterTrainingRuntime";

  std::string text() const {
    return fmt::format(R"(
apiVersion: trainer.kubeflow.org/v1alpha1
kind: {}
metadata: {{name: r}}
spec: {{{}template: {{spec: {{replicatedJobs: [{{name: node, template: {{
  metadata: {{labels: {{trainer.kubeflow.org/trainjob-ancestor-step: trainer}}}},
  spec: {{{}template: {{spec: {{containers: [{{name: node{}}}, {{name: side}}]}}}}}}}}}}]}}}}}}
---
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata: {{name: t}}
spec: {{runtimeRef: {}, {}}}
)",
                       kind, policy, job, container, ref, trainer);
  }
};

const Json& job_of(const Json& jobset) {
  return jobset["spec"]["replicatedJobs"][0]["template"]["spec"];
}

const Json& container_of(const Json& jobset) {
  return job_of(jobset)["template"]["spec"]["containers"][0];
}

// Returns the variables in their order, as "NAME=VALUE", or "NAME=" if the value is from a field.
std::vector<std::string> env_of(const Json& jobset) {
  std::vector<std::string> out;
  for (const Json& each : container_of(jobset).value("env", Json::array()))
    out.push_back(each["name"].get<std::string>() + "=" + each.value("value", ""));
  return out;
}

// recorded_test.cpp tests whole JobSets of TrainJobs.
TEST(AJobSetOfATrainJob, has_the_nodes_of_the_runtime_and_no_variables_without_a_trainer) {
  const Json jobset = one_of(TrainTexts{.trainer = ""}.text());
  EXPECT_EQ(job_of(jobset)["parallelism"], 2);
  EXPECT_THAT(env_of(jobset), IsEmpty());
}

TEST(AJobSetOfATrainJob, has_the_parallelism_of_a_runtime_without_a_policy) {
  const Json jobset = one_of(
      TrainTexts{.policy = "", .job = "parallelism: 3, completions: 9, ", .trainer = ""}.text());
  EXPECT_EQ(job_of(jobset)["parallelism"], 3);
  EXPECT_EQ(job_of(jobset)["completions"], 3);
}

TEST(AJobSetOfATrainJob, has_what_the_trainer_says_of_its_container) {
  const Json jobset = one_of(
      TrainTexts{.container = ", image: old, resources: {requests: {cpu: 1}}",
                 .trainer = "trainer: {image: new, args: [x], env: [{name: JAX_NUM_PROCESSES, "
                            "value: '7'}], resourcesPerNode: {limits: {google.com/tpu: 4}}}"}
          .text());
  EXPECT_EQ(container_of(jobset)["image"], "new");
  EXPECT_EQ(container_of(jobset)["args"], Json::parse(R"(["x"])"));
  EXPECT_EQ(container_of(jobset)["resources"], Json::parse(R"({"limits": {"google.com/tpu": 4}})"));
  EXPECT_THAT(env_of(jobset), Contains("JAX_NUM_PROCESSES=7"));
}

TEST(AJobSetOfATrainJob, says_where_its_parts_are_written) {
  const Opened all = opened(TrainTexts{.trainer = "trainer: {numNodes: 4}"}.text());
  ASSERT_EQ(all.objects.size(), 1u);
  const source::Origin& origin = *all.objects[0].origin;
  const std::string job = "/spec/replicatedJobs/0/template/spec";
  const auto at = [&](const std::string& part) {
    const auto found = where_written(origin, part);
    return found ? found->written.kind + found->written.at : "";
  };
  EXPECT_EQ(at(job + "/parallelism"), "TrainJob/spec/trainer/numNodes");
  EXPECT_EQ(at(job + "/template/spec/nodeSelector"),
            "ClusterTrainingRuntime/spec/template" + job + "/template/spec/nodeSelector");
  EXPECT_EQ(at(job + "/template/spec/containers/0/env"), "");
  EXPECT_THAT(where_written(origin, job + "/completions")->also, ElementsAre(job + "/parallelism"));
}

TEST(ATrainJob, names_its_runtime_by_kind_and_namespace) {
  EXPECT_THAT(
      faults_of(opened(TrainTexts{.ref = "{name: other}"}.text())),
      ElementsAre(HasSubstr("not known: ClusterTrainingRuntime other is not in the input")));
  EXPECT_THAT(faults_of(opened(TrainTexts{.ref = "{name: r, kind: TrainingRuntime}"}.text())),
              ElementsAre(HasSubstr("not known: TrainingRuntime r is not in the input")));
  const TrainTexts in_namespace{.ref = "{name: r, kind: TrainingRuntime}",
                                .kind = "TrainingRuntime"};
  EXPECT_THAT(faults_of(opened(in_namespace.text())), IsEmpty());
}

TEST(RefusedTrainJobs, make_nothing) {
  const std::pair<TrainTexts, std::string> cases[] = {
      {{.ref = "{name: r, apiGroup: x.dev}"}, "spec.runtimeRef: expected TrainingRuntime"},
      {{.ref = "{}"}, "spec.runtimeRef.name: is missing"},
      {{.trainer = "trainer: {numNodes: four}"}, "spec.trainer.numNodes: must be an integer"},
      {{.trainer = "trainer: {numNodes: -1}"}, "spec.trainer.numNodes: is negative"},
      {{.trainer = "trainer: {env: {A: a}}"}, "spec.trainer.env: must be an array of objects"},
      {{.policy = "mlPolicy: {torch: {}}, ", .trainer = "trainer: {env: [{name: PET_NNODES}]}"},
       "spec.trainer.env: has PET_NNODES"},
      {{.policy = "mlPolicy: 2, "}, "ClusterTrainingRuntime r: spec.mlPolicy: must be an object"},
      {{.container = ", ports: 80"}, "ClusterTrainingRuntime r: "},
  };
  for (const auto& [texts, want] : cases) {
    SCOPED_TRACE(want);
    const Opened all = opened(texts.text());
    EXPECT_THAT(all.objects, IsEmpty());
    EXPECT_THAT(faults_of(all), ElementsAre(HasSubstr("refused: " + want)));
  }
}

TEST(ATrainJob, without_a_name_that_dns_can_hold_is_refused) {
  EXPECT_THAT(faults_of(opened("apiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainJob\n"
                               "metadata: {name: 1st}\nspec: {}\n")),
              ElementsAre(HasSubstr("refused: metadata.name: 1st is not a letter")));
}

TEST(TrainJobs, of_one_large_runtime_are_made_up_to_a_size) {
  std::string text =
      "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: ClusterTrainingRuntime\n"
      "metadata: {name: r}\nspec: {template: {spec: {replicatedJobs: [{name: node, "
      "template: {spec: {template: {spec: {containers: [{name: node, image: " +
      std::string(std::size_t{4} << 20, 'x') + "}]}}}}}]}}}\n";
  for (int i = 0; i < 12; ++i)
    text += fmt::format(
        "---\napiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainJob\n"
        "metadata: {{name: t{}}}\nspec: {{runtimeRef: {{name: r}}}}\n",
        i);
  const Opened all = opened(text);
  EXPECT_EQ(all.objects.size(), 7u);
  EXPECT_THAT(faults_of(all), testing::SizeIs(5));
  EXPECT_THAT(faults_of(all).front(), HasSubstr("larger than 32 MiB"));
}

}  // namespace
}  // namespace tpuwh::server::wrappers
