#include "kubectl/predict/wrappers/open.hpp"

#include "tests/unit/kubectl/predict/wrappers/opened.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

namespace tpuwh::server::wrappers {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::string appwrapper(const std::string& children, const std::string& metadata = "",
                       const std::string& spec = "") {
  return fmt::format(
      "apiVersion: workload.codeflare.dev/v1beta2\nkind: AppWrapper\nmetadata: {{name: a{}}}\n"
      "spec: {{components: [{}]{}}}\n",
      metadata, children, spec);
}

std::string job(const std::string& name, const std::string& more = "") {
  return fmt::format("{{template: {{apiVersion: batch/v1, kind: Job, metadata: {{name: {}{}}}}}}}",
                     name, more);
}

TEST(AChild, has_the_namespace_and_the_queue_of_what_holds_it) {
  const Opened all =
      opened(appwrapper(job("x") + ", " + job("z", ", labels: {kueue.x-k8s.io/queue-name: own}"),
                        ", namespace: ml, labels: {kueue.x-k8s.io/queue-name: q}"));
  EXPECT_EQ(all.objects[0].object["metadata"]["namespace"], "ml");
  EXPECT_EQ(all.objects[0].object["metadata"]["labels"]["kueue.x-k8s.io/queue-name"], "q");
  EXPECT_EQ(all.objects[1].object["metadata"]["labels"]["kueue.x-k8s.io/queue-name"], "own");
}

TEST(AChild, of_a_suspended_appwrapper_says_so) {
  const Opened all = opened(appwrapper(job("x"), "", ", suspend: true"));
  EXPECT_THAT(all.objects[0].origin->notes, ElementsAre(HasSubstr("AppWrapper is suspended")));
}

TEST(AnAppWrapper, may_not_hold_another_or_objects_of_another_namespace) {
  const Opened all = opened(
      appwrapper("{template: {apiVersion: workload.codeflare.dev/v1beta2, kind: AppWrapper}}, " +
                 job("x", ", namespace: other") + ", {template: 3}, {template: {a: b}}"));
  EXPECT_THAT(all.objects, IsEmpty());
  EXPECT_THAT(
      faults_of(all),
      ElementsAre("refused: spec.components[0].template: an AppWrapper may not hold another one",
                  HasSubstr("spec.components[1].template.metadata.namespace: is other"),
                  "refused: spec.components[2].template: must be an object",
                  "refused: spec.components[3].template.kind: is missing"));
}

TEST(AnAppWrapper, without_components_holds_nothing) {
  EXPECT_THAT(faults_of(opened(appwrapper(""))),
              ElementsAre("not known: it holds no object: spec.components[*].template is missing"));
}

TEST(AList, is_opened_where_it_stands_in_another_object) {
  const Opened all =
      opened(appwrapper("{template: {apiVersion: v1, kind: List, items: [{apiVersion: v1, kind: "
                        "Pod, metadata: {name: p}}]}}"));
  EXPECT_THAT(names_of(all.objects), ElementsAre("Pod p"));
  EXPECT_EQ(all.objects[0].origin->written.front().at, "/spec/components/0/template/items/0");
  EXPECT_EQ(all.objects[0].origin->holders.size(), 2u);
}

// As deep as files are read.
TEST(Lists, in_lists_are_opened) {
  std::string text = "{apiVersion: v1, kind: Pod, metadata: {name: p}}";
  for (int i = 0; i < 20; ++i)
    text = fmt::format("{{apiVersion: v1, kind: List, items: [{}]}}", text);
  const Opened all = opened(text);
  EXPECT_THAT(names_of(all.objects), ElementsAre("Pod p"));
  EXPECT_EQ(all.holders.size(), 20u);
}

TEST(AWrapper, of_another_group_is_an_object_like_any_other) {
  const Opened all = opened("apiVersion: example.com/v1\nkind: AppWrapper\nmetadata: {name: a}\n");
  EXPECT_THAT(names_of(all.objects), ElementsAre("AppWrapper a"));
  EXPECT_FALSE(holds_wrappers(all.objects, {}));
}

TEST(ATrainJob, in_an_appwrapper_is_made_of_a_runtime_beside_it) {
  const Opened all = opened(
      appwrapper("{template: {apiVersion: trainer.kubeflow.org/v1alpha1, kind: TrainJob, metadata: "
                 "{name: t}, spec: {runtimeRef: {name: r}, trainer: {numNodes: 2}}}}") +
      "---\napiVersion: trainer.kubeflow.org/v1alpha1\nkind: ClusterTrainingRuntime\n"
      "metadata: {name: r}\nspec: {template: {spec: {replicatedJobs: [{name: node, template: "
      "{metadata: {labels: {trainer.kubeflow.org/trainjob-ancestor-step: trainer}}, spec: "
      "{template: {spec: {containers: [{name: node}]}}}}}]}}}\n");
  ASSERT_THAT(names_of(all.objects), ElementsAre("JobSet t"));
  const source::Origin& origin = *all.objects[0].origin;
  EXPECT_EQ(origin.holders.size(), 2u);
  std::string at;
  for (const source::Written& each : origin.written)
    if (each.part == "/spec/replicatedJobs/0/template/spec/parallelism") at = each.kind + each.at;
  EXPECT_EQ(at, "AppWrapper/spec/components/0/template/spec/trainer/numNodes");
}

const std::vector<Wrapper>& own_kinds() {
  static const std::vector<Wrapper> all{
      {.group = "x.dev", .kind = "Holder", .children = {Path::parse("spec.all[*]").value()}},
      {.group = "x.dev",
       .kind = "Hosts",
       .pods = {{.pod_template = Path::parse("spec.parts[*].template").value(),
                 .count = Path::parse("spec.parts[*].hosts").value(),
                 .as_job = true}}},
      {.group = "x.dev",
       .kind = "Plain",
       .pods = {
           {.pod_template = Path::parse("spec.template").value(), .count = std::uint64_t{3}}}}};
  return all;
}

TEST(AKindOfAUser, makes_an_indexed_job_of_each_template) {
  const Opened all = opened(
      "apiVersion: x.dev/v2\nkind: Hosts\nmetadata: {name: h}\nspec: {parts: [{hosts: 2, template: "
      "{spec: {a: b}}}, {hosts: 4, template: {spec: {restartPolicy: OnFailure}}}, {template: "
      "{}}]}\n",
      own_kinds());
  EXPECT_THAT(names_of(all.objects), ElementsAre("Job h-0", "Job h-1"));
  const Json& second = all.objects[1].object["spec"];
  EXPECT_EQ(second["completions"], 4);
  EXPECT_EQ(second["template"]["spec"]["restartPolicy"], "OnFailure");
  EXPECT_EQ(all.objects[0].object["spec"]["template"]["spec"]["restartPolicy"], "Never");
  EXPECT_THAT(faults_of(all), ElementsAre("not known: spec.parts[2].hosts: is missing"));
}

TEST(AKindOfAUser, makes_pods_that_nothing_numbers) {
  const Opened all = opened(
      "apiVersion: x.dev/v1\nkind: Plain\nmetadata: {generateName: p-}\nspec: {template: {spec: "
      "{}}}\n",
      own_kinds());
  ASSERT_EQ(all.objects.size(), 1u);
  EXPECT_EQ(all.objects[0].object["spec"]["replicas"], 3);
  EXPECT_EQ(all.objects[0].origin->shown_kind, "Plain");
  EXPECT_EQ(all.objects[0].origin->made_up.front().shown, "p-*");
}

TEST(AKindOfAUser, may_be_in_itself) {
  const Opened all = opened(
      "apiVersion: x.dev/v1\nkind: Holder\nmetadata: {name: a}\nspec: {all: [{apiVersion: "
      "x.dev/v1, kind: Holder, metadata: {name: b}, spec: {all: [{apiVersion: v1, kind: Pod, "
      "metadata: {name: p}}]}}]}\n",
      own_kinds());
  EXPECT_THAT(names_of(all.objects), ElementsAre("Pod p"));
}

}  // namespace
}  // namespace tpuwh::server::wrappers
