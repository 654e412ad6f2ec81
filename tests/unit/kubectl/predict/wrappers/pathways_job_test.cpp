#include "kubectl/predict/wrappers/pathways_job.hpp"

#include "tests/unit/kubectl/predict/wrappers/opened.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

namespace tpuwh::server::wrappers {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

struct PathwaysTexts {
  std::string worker = "type: ct6e-standard-4t, topology: 4x4, numSlices: 2";
  std::string controller = "deploymentMode: default";
  std::string more = {};

  std::string text() const {
    return fmt::format(
        "apiVersion: pathways-job.pathways.domain/v1\nkind: PathwaysJob\nmetadata: {{name: p}}\n"
        "spec: {{workers: [{{{}}}], controller: {{{}}}{}}}\n",
        worker, controller, more);
  }
};

TEST(APathwaysJob, has_workers_of_whole_slices_and_a_head) {
  const Json spec = one_of(PathwaysTexts().text())["spec"];
  const Json& head = spec["replicatedJobs"][0];
  const Json& worker = spec["replicatedJobs"][1];
  EXPECT_EQ(spec["coordinator"]["replicatedJob"], "pathways-head");
  EXPECT_EQ(worker["replicas"], 2);
  EXPECT_EQ(worker["template"]["spec"]["completions"], 4);
  const Json& pod = worker["template"]["spec"]["template"]["spec"];
  EXPECT_EQ(pod["nodeSelector"]["cloud.google.com/gke-tpu-accelerator"], "tpu-v6e-slice");
  EXPECT_EQ(pod["containers"][0]["resources"]["limits"]["google.com/tpu"], "4");
  EXPECT_EQ(pod["hostNetwork"], true);
  // Without a program of the user the resource manager and the proxy are its containers.
  EXPECT_EQ(head["template"]["spec"]["template"]["spec"]["containers"].size(), 2u);
  EXPECT_FALSE(spec.contains("successPolicy"));
}

TEST(APathwaysJob, runs_the_users_program_beside_the_proxy) {
  const Json spec = one_of(
      PathwaysTexts{.controller = "deploymentMode: colocate_head_with_workers, template: {spec: "
                                  "{containers: [{name: main, image: x}]}}"}
          .text())["spec"];
  const Json& pod = spec["replicatedJobs"][0]["template"]["spec"]["template"]["spec"];
  EXPECT_EQ(pod["containers"][0]["env"][1]["value"], "proxy");
  EXPECT_EQ(pod["initContainers"].size(), 2u);
  EXPECT_EQ(pod["nodeSelector"]["cloud.google.com/gke-tpu-topology"], "4x4");
  EXPECT_EQ(spec["successPolicy"]["operator"], "All");
}

TEST(APathwaysJob, of_machines_with_8_chips_has_a_host_for_8) {
  const Json spec =
      one_of(PathwaysTexts{.worker = "type: ct6e-standard-8t, topology: 2x4, numSlices: 1"}
                 .text())["spec"];
  const Json& job = spec["replicatedJobs"][1]["template"]["spec"];
  EXPECT_EQ(job["completions"], 1);
  EXPECT_EQ(job["template"]["spec"]["containers"][0]["resources"]["limits"]["google.com/tpu"], "8");
}

TEST(RefusedPathwaysJobs, make_nothing) {
  const std::pair<PathwaysTexts, std::string> cases[] = {
      {{.worker = "type: n2-standard-4, topology: 4x4, numSlices: 1"},
       "spec.workers[0].type: n2-standard-4"},
      {{.worker = "type: a}, {type: b"}, "spec.workers: must be"},
      {{.controller = ""}, "spec.controller.deploymentMode"},
      {{.worker = "type: ct6e-standard-4t, topology: 4x4, numSlices: two"},
       "spec.workers[0].numSlices: must be an integer"},
      {{.controller = "deploymentMode: default, template: {spec: {}}"},
       "spec.controller.template.spec.containers"},
  };
  for (const auto& [texts, want] : cases)
    EXPECT_THAT(faults_of(opened(texts.text())), ElementsAre(HasSubstr("refused: " + want)))
        << want;
}

}  // namespace
}  // namespace tpuwh::server::wrappers
