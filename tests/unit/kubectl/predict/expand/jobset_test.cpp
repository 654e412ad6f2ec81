#include "tests/unit/kubectl/predict/expand/expanded.hpp"

#include <gtest/gtest.h>

namespace tpuwh::server::expand {
namespace {

constexpr const char* two_kinds = R"(
apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata: {name: js}
spec:
  coordinator: {replicatedJob: driver}
  replicatedJobs:
  - name: driver
    template: {spec: {template: {spec: {containers: [{name: c}]}}}}
  - name: slice
    groupName: workers
    replicas: 2
    template: {spec: {parallelism: 2, completions: 2, template: {spec: {containers: [{name: c}]}}}}
)";

#define POD_OF_DRIVER "/spec/replicatedJobs/0/template/spec/template/spec"

const std::string prefix = "jobset.sigs.k8s.io/";

TEST(AJobSet, numbers_its_jobs_in_all_and_in_their_group) {
  const Expansion got = expand_yaml(two_kinds);
  EXPECT_EQ(names_of(got), (Texts{"js-driver-0-0-", "js-slice-0-0-", "js-slice-0-1-",
                                  "js-slice-1-0-", "js-slice-1-1-"}));
  EXPECT_EQ(labels_of(got, prefix + "job-index"), (Texts{"0", "0", "0", "1", "1"}));
  EXPECT_EQ(labels_of(got, prefix + "job-global-index"), (Texts{"0", "1", "1", "2", "2"}));
  EXPECT_EQ(labels_of(got, prefix + "job-group-index"), (Texts{"0", "0", "0", "1", "1"}));
  EXPECT_EQ(labels_of(got, prefix + "group-name"),
            (Texts{"default", "workers", "workers", "workers", "workers"}));
  EXPECT_EQ(labels_of(got, prefix + "group-replicas"), (Texts{"1", "2", "2", "2", "2"}));
  EXPECT_EQ(labels_of(got, prefix + "global-replicas"), Texts(5, "3"));
  EXPECT_EQ(labels_of(got, prefix + "coordinator"), Texts(5, "js-driver-0-0.js"));
}

TEST(AJobSet, has_the_defaults_of_its_webhook) {
  const Json pod = expand_yaml(two_kinds).pods.at(0);
  EXPECT_EQ(pod["spec"]["restartPolicy"], "OnFailure");
  EXPECT_EQ(pod["spec"]["subdomain"], "js");
  EXPECT_EQ(pod["spec"]["hostname"], "js-driver-0-0");
  EXPECT_EQ(pod["metadata"]["labels"][prefix + "priority"], "0");
  EXPECT_FALSE(pod["spec"].contains("affinity"));
}

TEST(AJobSet, names_its_subdomain_or_has_none) {
  const auto spec = [](const char* network) {
    return Json(expand_edited(two_kinds, {{"/spec/network", network}}).pods.at(0)["spec"]);
  };
  EXPECT_EQ(spec("{subdomain: net}")["subdomain"], "net");
  EXPECT_FALSE(spec("{subdomain: net, enableDNSHostnames: false}").contains("subdomain"));
}

// tests/golden/expand has an exclusive JobSet without the annotation node-selector
// (jobset-multislice). In that JobSet, only the first Pod of each Job has affinity.
TEST(AnExclusiveJobSet, on_labelled_nodes_selects_them) {
  const Expansion got =
      expand_edited(two_kinds, {{"/metadata/annotations",
                                 "{alpha.jobset.sigs.k8s.io/exclusive-topology: pool, "
                                 "alpha.jobset.sigs.k8s.io/node-selector: 'true'}"}});
  const Json& spec = got.pods.at(4)["spec"];
  EXPECT_EQ(spec["nodeSelector"]["alpha.jobset.sigs.k8s.io/namespaced-job"], "default_js-slice-1");
  EXPECT_EQ(spec["tolerations"].size(), 1u);
  EXPECT_FALSE(got.pods.at(3)["spec"].contains("affinity"));
  EXPECT_EQ(labels_of(got, prefix + "priority"), Texts(5, "-"));
}

TEST(APriority, is_copied_into_a_label) {
  const auto label = [](const Edits& edits) {
    return labels_of(expand_edited(two_kinds, edits), prefix + "priority").at(0);
  };
  EXPECT_EQ(label({{POD_OF_DRIVER "/priorityClassName", "system-node-critical"}}), "2000001000");
  EXPECT_EQ(label({{POD_OF_DRIVER "/priorityClassName", "urgent"}}), "0");
  EXPECT_EQ(
      label({{POD_OF_DRIVER "/priorityClassName", "urgent"}, {POD_OF_DRIVER "/priority", "7"}}),
      "7");
}

TEST(AVolumeClaim, of_a_jobset_is_mounted_where_it_is_named) {
  const Expansion got = expand_edited(
      two_kinds, {{"/spec/volumeClaimPolicies", "[{templates: [{metadata: {name: data}}]}]"},
                  {POD_OF_DRIVER "/containers/0/volumeMounts", "[{name: data}]"}});
  EXPECT_EQ(got.pods.at(0)["spec"]["volumes"][0]["persistentVolumeClaim"]["claimName"], "data-js");
  EXPECT_FALSE(got.pods.at(1)["spec"].contains("volumes"));
}

#undef POD_OF_DRIVER

}  // namespace
}  // namespace tpuwh::server::expand
