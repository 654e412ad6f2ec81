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

TEST(Ways, are_tried) {
  const Case cases[] = {
      {{{"right"}}, "right"},
      {{}, ""},
      {{{"right", "right too"}}, ""},
      {{{"worse", "right", "in vain", "unknown"}}, "right"},
      {{{"worse"}}, ""},
      {{{"in vain"}}, ""},
      {{{"unknown"}}, ""},
      {{{"leads on", "worse"}}, "leads on"},
      {{{"leads on"}, {"right"}}, "right"},
      {{{"a", "b", "c", "d", "e", "f", "right"}}, ""},
  };
  for (const auto& each : cases) EXPECT_EQ(made(each), each.want) << each.want;
}

}  // namespace
}  // namespace tpuwh::server::fixes
