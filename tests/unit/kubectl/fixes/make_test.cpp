// Which of several ways is the one.
#include "kubectl/fixes/make.hpp"

#include "tests/unit/kubectl/fixes/an_edit.hpp"

#include <gtest/gtest.h>

namespace tpuwh::server::fixes {
namespace {

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

}  // namespace
}  // namespace tpuwh::server::fixes
