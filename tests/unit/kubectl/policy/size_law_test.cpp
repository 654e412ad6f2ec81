// Which policies are printed, and what follows of them. What they say of objects, the API server is
// asked in tests/e2e/test_policies.py.
#include "kubectl/policy/size_law.hpp"

#include "topology/catalog.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace tpuwh::server::policy {
namespace {

using webhook::config::Config;
using webhook::config::Mode;
using webhook::config::WorkloadKind;
using webhook::findings::Finding;
using webhook::findings::Level;

std::vector<std::string> names(const std::vector<Policy>& all) {
  std::vector<std::string> out;
  for (const Policy& each : all) out.push_back(each.name);
  return out;
}

const Policy* find(const std::vector<Policy>& all, std::string_view name) {
  const auto found = std::ranges::find(all, name, &Policy::name);
  return found == all.end() ? nullptr : &*found;
}

// Of a policy, whose `faults` say this finding.
bool says(const Policy& policy, std::string_view id) {
  const auto faults = std::ranges::find(policy.variables, "faults", &Named::name);
  return faults != policy.variables.end() && faults->expression.find(id) != std::string::npos;
}

TEST(SizeLaw, FollowsTheLevelsOfTheConfiguration) {
  Config config;
  config.findings.set(Finding::job_too_few, Level::deny);
  config.findings.set(Finding::completions_too_many, Level::off);
  config.findings.set(Finding::topology_malformed, Level::warn);
  const auto all = size_law(config, Action::deny);
  const Policy* jobs = find(all, "tpu-size-jobs");
  const Policy* warned = find(all, "tpu-size-jobs-warn");
  ASSERT_TRUE(jobs && warned);
  EXPECT_TRUE(says(*jobs, "TPU-405") && says(*jobs, "TPU-103"));
  EXPECT_FALSE(says(*jobs, "TPU-102") || says(*jobs, "TPU-406") || says(*warned, "TPU-406"));
  EXPECT_TRUE(says(*warned, "TPU-102"));
}

TEST(SizeLaw, LeavesOutWhatTheWebhookDoesNotHandle) {
  Config config;
  config.workloads = {WorkloadKind::jobset};
  EXPECT_EQ(names(size_law(config, Action::deny)),
            (std::vector<std::string>{"tpu-size-jobsets", "tpu-size-jobsets-warn"}));
}

TEST(SizeLaw, RefusesNothingOfAnApiInShadow) {
  Config config;
  config.of(WorkloadKind::ray).mode = Mode::shadow;
  const auto all = size_law(config, Action::deny);
  EXPECT_EQ(find(all, "tpu-size-rayclusters")->action, Action::warn);
  EXPECT_EQ(find(all, "tpu-size-jobsets")->action, Action::deny);
}

TEST(SizeLaw, FollowsAtMostAsAsked) {
  for (const Action most : {Action::audit, Action::warn})
    for (const Policy& each : size_law(Config(), most)) EXPECT_EQ(each.action, most) << each.name;
}

TEST(SizeLaw, AsksForAnnotationsOfThePrefix) {
  Config config;
  config.prefix = "tpu.example.org/";
  for (const Policy& each : size_law(config, Action::deny))
    for (const Named& variable : each.variables) {
      EXPECT_EQ(variable.expression.find("tpu-webhook.dev/"), std::string::npos) << each.name;
      EXPECT_EQ(variable.expression.find('@'), std::string::npos) << variable.expression;
    }
}

// Else a number of chips does not tell whose nodes are shared: size_law_cel.cpp.
TEST(SizeLaw, NodesOfSlicesOfSeveralHostsHaveOneNumberOfChips) {
  for (const topology::Generation& each : topology::generations()) {
    std::vector<std::uint32_t> chips;
    for (const topology::MachineType& machine : each.machine_types)
      if (std::ranges::any_of(machine.topologies, [](const auto& one) { return one.vms > 1; }))
        chips.push_back(machine.chips_per_vm);
    EXPECT_TRUE(std::ranges::adjacent_find(chips, std::not_equal_to()) == chips.end())
        << each.label;
  }
}

TEST(Policy, IsWarnedOfOrRefusedNeverBothAndLetsPassWhatCannotBeEvaluated) {
  Policy policy{.name = "p", .action = Action::deny};
  EXPECT_EQ(policy_object(policy)["spec"]["failurePolicy"], "Ignore");
  const auto actions = [&] {
    return binding_object(policy, {})["spec"]["validationActions"].dump();
  };
  EXPECT_EQ(actions(), R"(["Deny","Audit"])");
  policy.action = Action::warn;
  EXPECT_EQ(actions(), R"(["Warn","Audit"])");
  policy.action = Action::audit;
  EXPECT_EQ(actions(), R"(["Audit"])");
}

}  // namespace
}  // namespace tpuwh::server::policy
