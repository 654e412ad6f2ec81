#include "tests/unit/kubectl/predict/expand/expanded.hpp"

#include <gtest/gtest.h>

namespace tpuwh::server::expand {
namespace {

constexpr const char* with_claims = R"(
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: sax}
spec:
  replicas: 2
  ordinals: {start: 5}
  serviceName: svc
  volumeClaimTemplates: [{metadata: {name: data}}]
  template:
    spec:
      volumes: [{name: data, emptyDir: {}}, {name: other, emptyDir: {}}]
      subdomain: ignored
      containers: [{name: c}]
)";

TEST(AStatefulSet, numbers_from_its_first_ordinal) {
  const Expansion got = expand_yaml(with_claims);
  EXPECT_EQ(names_of(got), (Texts{"sax-5", "sax-6"}));
  EXPECT_EQ(labels_of(got, "apps.kubernetes.io/pod-index"), (Texts{"5", "6"}));
  EXPECT_EQ(got.pods.at(1)["spec"]["hostname"], "sax-6");
  EXPECT_EQ(got.pods.at(1)["spec"]["subdomain"], "svc");
}

TEST(AStatefulSet, puts_claims_before_volumes) {
  const Json pod = expand_yaml(with_claims).pods.at(1);
  EXPECT_EQ(pod["spec"]["volumes"].dump(),
            R"([{"name":"data","persistentVolumeClaim":{"claimName":"data-sax-6"}},)"
            R"({"name":"other","emptyDir":{}}])");
}

TEST(AStatefulSet, without_a_service_has_no_subdomain) {
  const Expansion got = expand_edited(with_claims, {{"/spec/serviceName", nullptr}});
  EXPECT_FALSE(got.pods.at(0)["spec"].contains("subdomain"));
}

TEST(AReplicaSet, makes_pods_of_one_form) {
  const Expansion got = expand_edited(with_claims, {{"/kind", "ReplicaSet"}});
  EXPECT_EQ(names_of(got), (Texts{"sax-", "sax-"}));
  EXPECT_EQ(got.pods.at(0)["metadata"]["ownerReferences"][0]["kind"], "ReplicaSet");
  EXPECT_FALSE(got.pods.at(0)["metadata"].contains("labels"));
}

TEST(ADeployment, of_no_replicas_makes_none) {
  const Edits none = {{"/kind", "Deployment"}, {"/spec/replicas", "0"}};
  EXPECT_TRUE(expand_edited(with_claims, none).pods.empty());
}

}  // namespace
}  // namespace tpuwh::server::expand
