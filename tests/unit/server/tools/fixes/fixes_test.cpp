#include "server/tools/fixes/make.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tpuwh::server::fixes {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Steps set(const char* path, Json value) {
  return {Edit{.path = Path(path), .value = std::move(value)}};
}

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

// ---- which of several ways is the one

Said before() {
  return {.verdict = 2, .ids = {"TPU-405", "no-service"}};
}

// What the first edit's value makes of it.
std::optional<Said> trial(const Steps& steps) {
  const Json& value = *std::get<Edit>(steps.front()).value;
  if (value == "right" || value == "right too") return Said{.verdict = 1, .ids = {"no-service"}};
  if (value == "leads on") return Said{.verdict = 1, .ids = {"TPU-406"}};
  if (value == "worse") return Said{.verdict = 3, .ids = {}};
  if (value == "in vain") return Said{.verdict = 1, .ids = {"TPU-405"}};
  return std::nullopt;
}

struct Case {
  const char* name;
  std::vector<std::vector<const char*>> tiers;
  const char* want;  // "" for a choice
};

std::string made(const Case& one) {
  Tiers tiers;
  for (const auto& tier : one.tiers) {
    tiers.emplace_back();
    for (const char* each : tier) tiers.back().push_back(set("/spec/x", each));
  }
  const Fix fix = make_fix(tiers, "TPU-405", before(), trial, "choose");
  if (const auto* choice = std::get_if<Choice>(&fix)) {
    EXPECT_EQ(choice->sentence, "choose");
    return {};
  }
  return *std::get<Edit>(std::get<Steps>(fix).front()).value;
}

class Ways : public ::testing::TestWithParam<Case> {};

TEST_P(Ways, are_tried) {
  EXPECT_EQ(made(GetParam()), GetParam().want);
}

INSTANTIATE_TEST_SUITE_P(
    all, Ways,
    ::testing::Values(Case{"one", {{"right"}}, "right"}, Case{"none", {}, ""},
                      Case{"several", {{"right", "right too"}}, ""},
                      Case{"one_of_several", {{"worse", "right", "in vain", "unknown"}}, "right"},
                      Case{"worse", {{"worse"}}, ""}, Case{"in_vain", {{"in vain"}}, ""},
                      Case{"not_known", {{"unknown"}}, ""},
                      Case{"leads_on", {{"leads on", "worse"}}, "leads on"},
                      Case{"rather_the_next_tier", {{"leads on"}, {"right"}}, "right"},
                      Case{"too_many", {{"a", "b", "c", "d", "e", "f", "right"}}, ""}),
    [](const auto& each) { return std::string(each.param.name); });

// ---- commands

TEST(Command, has_no_verb_that_ends_something) {
  for (const Verb verb : {Verb::get, Verb::describe, Verb::list, Verb::create, Verb::update,
                          Verb::patch, Verb::edit, Verb::uncordon})
    for (const char* other : {"delete", "drain", "evict", "restart", "scale", "replace", "rollout"})
      EXPECT_THAT(name(verb), Not(HasSubstr(other)));
}

TEST(Command, is_a_value_and_a_text) {
  const Command get = Command::kubectl(Verb::get, "ml").of("job", "train").words("-o yaml");
  EXPECT_EQ(get.text(), "kubectl -n ml get job train -o yaml");
  EXPECT_EQ(json(get), Json({{"verb", "get"},
                             {"object", "job train"},
                             {"arguments", {"-n", "ml", "-o yaml"}},
                             {"text", "kubectl -n ml get job train -o yaml"}}));
  const Command pool = Command::gcloud(
      {{"gcloud", "container", "node-pools", "create", "a", "--cluster=$CLUSTER", "--spot"}});
  EXPECT_EQ(pool.verb(), Verb::create);
  EXPECT_EQ(pool.object(), "node-pools a");
  EXPECT_EQ(pool.arguments(), (std::vector<std::string>{"--cluster=$CLUSTER", "--spot"}));
}

TEST(Command, is_none_with_a_name_that_is_none) {
  EXPECT_EQ(Command::kubectl(Verb::get, "ml").of("job", "a;b").text(), "");
  EXPECT_EQ(Command::kubectl(Verb::get, "$(x)").of("job", "train").text(), "");
}

TEST(Command, makes_an_object_that_a_shell_leaves_alone) {
  const Command made = Command::create({{"kind", "Service"}, {"metadata", {{"name", "$(x)'"}}}});
  EXPECT_EQ(
      made.text(),
      "printf '%s\\n' '\nkind: Service\nmetadata:\n  name: $(x)'\\''\n' | kubectl create -f -");
  EXPECT_EQ(Command::create({{"kind", "Service"}, {"metadata", {{"name", "a\x1b[2J"}}}})
                .text()
                .find('\x1b'),
            std::string::npos);
}

}  // namespace
}  // namespace tpuwh::server::fixes
