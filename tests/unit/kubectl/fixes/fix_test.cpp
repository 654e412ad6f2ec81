#include "kubectl/fixes/fix.hpp"

#include "tests/unit/kubectl/fixes/an_edit.hpp"

#include <gtest/gtest.h>

namespace tpuwh::server::fixes {
namespace {

Json job() {
  return {{"kind", "Job"},
          {"metadata", {{"name", "train"}}},
          {"spec", {{"completions", 1}, {"list", {{{"name", "a"}}, {{"name", "b"}}}}}}};
}

TEST(Edit, sets_and_removes) {
  Json object = job();
  EXPECT_TRUE(apply({.path = Path("/spec/completions"), .value = Json(4)}, object));
  EXPECT_EQ(object["spec"]["completions"], 4);
  EXPECT_TRUE(
      apply({.path = Path("/spec/template/spec/nodeSelector/a.b~1c"), .value = Json("x")}, object));
  EXPECT_EQ(object["spec"]["template"]["spec"]["nodeSelector"]["a.b/c"], "x");
  EXPECT_TRUE(apply({.path = Path("/spec/list/0")}, object));
  EXPECT_EQ(object["spec"]["list"], Json::array({{{"name", "b"}}}));
}

TEST(Edit, makes_nothing_of_what_is_not_there) {
  Json object = job();
  const Json before = object;
  EXPECT_FALSE(apply({.path = Path("/spec/missing")}, object));
  EXPECT_FALSE(apply({.path = Path("/spec/list/7/name"), .value = Json("x")}, object));
  EXPECT_FALSE(apply({.path = Path("/spec/completions/x"), .value = Json(1)}, object));
  EXPECT_FALSE(apply({.path = Path(), .value = Json(1)}, object));
  EXPECT_EQ(object, before);
}

TEST(Fix, is_said_in_words) {
  EXPECT_EQ(words(set("/spec/jobs/0/nodeSelector/cloud.google.com~1gke", "4x4")),
            "set spec.jobs[0].nodeSelector[\"cloud.google.com/gke\"] to 4x4");
  EXPECT_EQ(words(set("/spec/value", "4")), "set spec.value to \"4\"");
  EXPECT_EQ(words(Steps{Edit{.path = Path("/spec/env/2"), .what = "TPU_WORKER_ID"}}),
            "remove spec.env[2] (TPU_WORKER_ID)");
  EXPECT_EQ(words(Steps{Edit{.object = ObjectName{"Service", "ml", "train"},
                             .path = Path("/spec/clusterIP"),
                             .value = Json("None")}}),
            "set spec.clusterIP of Service train to None");
  EXPECT_EQ(words(Choice{"keep one"}), "keep one");
}

TEST(Fix, is_a_value) {
  EXPECT_EQ(json(Fix(set("/spec/completions", 4))),
            Json({{"edits", {{{"path", "/spec/completions"}, {"value", 4}}}},
                  {"commands", Json::array()}}));
  EXPECT_EQ(json(Choice{"keep one"}), Json({{"choice", "keep one"}}));
}

}  // namespace
}  // namespace tpuwh::server::fixes
