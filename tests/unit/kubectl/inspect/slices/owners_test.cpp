#include "kubectl/inspect/slices/owners.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <string>

namespace tpuwh::server::slices {
namespace {

using Json = nlohmann::ordered_json;

Json object(const std::string& kind, const std::string& name, const Json& owner = nullptr) {
  Json out{{"kind", kind}, {"metadata", {{"name", name}, {"namespace", "ml"}}}};
  if (!owner.is_null()) out["metadata"]["ownerReferences"] = Json::array({owner});
  return out;
}

Json by(const std::string& kind, const std::string& name) {
  return {{"kind", kind}, {"name", name}, {"controller", true}};
}

std::string words(const std::vector<ObjectName>& chain) {
  std::string out;
  for (const ObjectName& each : chain)
    out += (out.empty() ? "" : ", ") + each.kind + " " + each.name;
  return out;
}

Json labelled(Json pod, const std::string& key, const std::string& value) {
  pod["metadata"]["labels"][key] = value;
  return pod;
}

TEST(Owners, are_followed_to_the_top) {
  Owners owners;
  owners.add(object("Job", "train-slice-0", by("JobSet", "train")));
  owners.add(object("JobSet", "train", by("TrainJob", "run")));
  EXPECT_EQ(words(owners.of_pod(object("Pod", "p", by("Job", "train-slice-0")))),
            "Job train-slice-0, JobSet train, TrainJob run");
  EXPECT_EQ(words(owners.of_pod(object("Pod", "p"))), "");
}

TEST(Owners, are_known_by_labels_where_they_are_not_there) {
  const Owners nothing;
  const Json of_set = object("Pod", "p", by("ReplicaSet", "serve-7d8f6c5b4"));
  EXPECT_EQ(words(nothing.of_pod(labelled(of_set, "pod-template-hash", "7d8f6c5b4"))),
            "ReplicaSet serve-7d8f6c5b4, Deployment serve");
  EXPECT_EQ(words(nothing.of_pod(of_set)), "ReplicaSet serve-7d8f6c5b4");
  EXPECT_EQ(words(nothing.of_pod(labelled(object("Pod", "p", by("Job", "train-slice-0")),
                                          "jobset.sigs.k8s.io/jobset-name", "train"))),
            "Job train-slice-0, JobSet train");
  EXPECT_EQ(words(nothing.of_pod(labelled(object("Pod", "p", by("StatefulSet", "serve-0")),
                                          "leaderworkerset.sigs.k8s.io/name", "serve"))),
            "StatefulSet serve-0, LeaderWorkerSet serve");
}

TEST(Owners, of_a_ray_cluster_that_another_object_made) {
  Owners owners;
  Json cluster =
      labelled(object("RayCluster", "serve-x1y2z"), "ray.io/originated-from-crd", "RayService");
  cluster = labelled(cluster, "ray.io/originated-from-cr-name", "serve");
  owners.add(cluster);
  EXPECT_EQ(words(owners.of_pod(object("Pod", "p", by("RayCluster", "serve-x1y2z")))),
            "RayCluster serve-x1y2z, RayService serve");
}

TEST(Owners, in_a_circle_stand_once) {
  Owners owners;
  owners.add(object("A", "a", by("B", "b")));
  owners.add(object("B", "b", by("A", "a")));
  EXPECT_EQ(words(owners.of_pod(object("Pod", "p", by("A", "a")))), "A a, B b");
}

TEST(Includes, what_a_controller_named) {
  const auto made = [](const std::string& kind, const std::string& name) {
    return std::vector<ObjectName>{{kind, "ml", name}};
  };
  EXPECT_TRUE(includes(made("Job", "train"), "Job", "ml", "train"));
  EXPECT_FALSE(includes(made("Job", "train"), "Job", "other", "train"));
  EXPECT_TRUE(includes(made("Job", "nightly-29000000"), "CronJob", "ml", "nightly"));
  EXPECT_FALSE(includes(made("Job", "nightly-2"), "CronJob", "ml", "nightly"));
  EXPECT_FALSE(includes(made("Job", "nightly-29000000"), "CronJob", "ml", "night"));
  EXPECT_TRUE(includes(made("RayCluster", "serve-x1y2z"), "RayService", "ml", "serve"));
  EXPECT_TRUE(includes(made("RayCluster", "serve-raycluster-x1y2z"), "RayJob", "ml", "serve"));
  EXPECT_FALSE(includes(made("RayCluster", "serve-blue"), "RayService", "ml", "serve"));
}

TEST(Owners, tells_of_one_that_was_deleted_where_others_of_its_kind_are) {
  Owners owners;
  const std::vector<ObjectName> chain = {{"Job", "ml", "train-0"}, {"JobSet", "ml", "train"}};
  EXPECT_FALSE(owners.any_deleted(chain));
  owners.add({{"kind", "Job"}, {"metadata", {{"name", "train-0"}, {"namespace", "ml"}}}});
  EXPECT_FALSE(owners.any_deleted(chain));
  owners.add({{"kind", "JobSet"}, {"metadata", {{"name", "train"}, {"namespace", "other"}}}});
  EXPECT_TRUE(owners.any_deleted(chain));
  owners.add({{"kind", "JobSet"}, {"metadata", {{"name", "train"}, {"namespace", "ml"}}}});
  EXPECT_FALSE(owners.any_deleted(chain));
  EXPECT_FALSE(owners.any_deleted({{"StatefulSet", "ml", "web"}}));
  owners.add_all_of("StatefulSet");
  EXPECT_TRUE(owners.any_deleted({{"StatefulSet", "ml", "web"}}));
}

}  // namespace
}  // namespace tpuwh::server::slices
