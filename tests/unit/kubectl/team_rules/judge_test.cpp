// Patterns, rules by namespace, and what an object breaks of them.
#include "kubectl/team_rules/judge.hpp"

#include <gtest/gtest.h>

#include <string>

namespace tpuwh::server::team_rules {
namespace {

TEST(Pattern, IsTheTextOrAnyTextAtAStar) {
  const std::pair<const char*, const char*> matching[] = {
      {"a", "a"},           {"", ""},      {"*", ""},
      {"*", "x"},           {"a*", "a"},   {"*-dev", "team-dev"},
      {"a*b*c", "a-b-b-c"}, {"**x", "yyx"}};
  const std::pair<const char*, const char*> others[] = {
      {"a", "ab"},    {"a", ""},    {"*-dev", "team-dev-2"}, {"a*b*c", "a-c-b"},
      {"a.c", "abc"}, {"a*a", "a"}, {"ab*bc", "abc"}};
  for (const auto& [pattern, text] : matching)
    EXPECT_TRUE(matches(pattern, text)) << pattern << ' ' << text;
  for (const auto& [pattern, text] : others)
    EXPECT_FALSE(matches(pattern, text)) << pattern << ' ' << text;
}

// A hundred stars against a long text that almost matches.
TEST(Pattern, TakesNoMoreThanTheProductOfBothLengths) {
  std::string pattern;
  for (int i = 0; i < 100; ++i) pattern += "*a";
  EXPECT_FALSE(matches(pattern + "b", std::string(20'000, 'a')));
}

TEST(Topology, HasTheProductOfItsNumbers) {
  EXPECT_EQ(chips_of("4x4"), 16u);
  EXPECT_EQ(chips_of("2x2x4"), 16u);
  EXPECT_EQ(chips_of("999999x1"), 999'999u);
  for (const char* text : {"", "4", "x", "4x", "x4", "04x4", "0x4", "4x4x4x4", "4x4x", "4X4",
                           "-4x4", "4x4 ", "1000000x1"})
    EXPECT_EQ(chips_of(text), std::nullopt) << text;
}

TEST(CapacityOf, GoesByTheNodeSelector) {
  const auto of = [](std::string_view key, std::string_view value) {
    return capacity_of([=](std::string_view asked) { return asked == key ? value : ""; });
  };
  EXPECT_EQ(of("", ""), Capacity::on_demand);
  EXPECT_EQ(of("cloud.google.com/gke-spot", "true"), Capacity::spot);
  EXPECT_EQ(of("cloud.google.com/gke-spot", "false"), Capacity::on_demand);
  EXPECT_EQ(of("cloud.google.com/gke-provisioning", "spot"), Capacity::spot);
  EXPECT_EQ(of("cloud.google.com/gke-flex-start", "true"), Capacity::flex_start);
  EXPECT_EQ(of("cloud.google.com/gke-queued", "true"), Capacity::flex_start);
  EXPECT_EQ(of("cloud.google.com/reservation-name", "r"), Capacity::reservation);
}

// Two slices of 4x4.
AskedObject two_slices() {
  return {"train",
          {{.title = "group a: ",
            .accelerator = "tpu-v6e-slice",
            .topology = "4x4",
            .pods = 8,
            .chips = 4}}};
}

Rules dev(Rule rule) {
  rule.name = "dev";
  rule.namespaces = {"*-dev"};
  return {.list = {std::move(rule)}, .contact = "#tpu"};
}

std::string said(const Rules& rules, const AskedObject& object, std::string_view ns = "team-dev") {
  std::string out;
  for (const Broken& each : judge(rules, ns, object))
    out += (out.empty() ? "" : "; ") + std::string(each.id) + ' ' + each.sentence;
  return out;
}

TEST(Judge, SaysNothingWhereAllIsAllowed) {
  const Rules rules = dev({.accelerators = {"tpu-v6e-*"},
                           .topologies = {"2x4", "4x4"},
                           .capacities = {Capacity::on_demand},
                           .slice_chips = 16,
                           .slices = 2,
                           .chips = 32,
                           .object_names = "tr*",
                           .resumable = true,
                           .run_seconds = 1});
  EXPECT_EQ(said(rules, two_slices()), "");
  EXPECT_EQ(said(rules, {"x", {}}), "");
}

// tests/golden/findings, TPU-652 to TPU-658, tests the messages of other broken rules.

// An object that does not say which accelerator, topology or number of slices it needs could get
// any, so it breaks a rule about them.
TEST(Judge, AsksForWhatARuleIsAbout) {
  AskedObject object{"x", {{.pods = 3, .chips = 4}}};
  EXPECT_EQ(said(dev({.accelerators = {"tpu7x"}}), object),
            "TPU-652 selects no accelerator, expected one of tpu7x (rule dev; ask #tpu)");
  EXPECT_EQ(
      said(dev({.slice_chips = 8}), object),
      "TPU-654 selects no topology, expected at most 8 chips in a slice (rule dev; ask #tpu)");
  EXPECT_EQ(said(dev({.slices = 2}), object),
            "TPU-655 3 slices (a Pod without a topology counts as one), expected at most 2 (rule "
            "dev; ask #tpu)");
  object.templates[0].topology = "16";
  EXPECT_EQ(said(dev({.slice_chips = 8}), object),
            "TPU-654 the topology has no number of chips, expected at most 8 chips in a slice "
            "(rule dev; ask #tpu)");
}

TEST(Judge, CountsASliceThatIsBegun) {
  const auto slices = [](std::uint64_t pods, std::uint64_t chips) {
    const AskedObject object{"x", {{.topology = "2x2", .pods = pods, .chips = chips}}};
    const std::string found = said(dev({.slices = 0}), object);
    return found.substr(0, found.find(" slices"));
  };
  EXPECT_EQ(slices(1, 1), "TPU-655 1");
  EXPECT_EQ(slices(4, 1), "TPU-655 1");
  EXPECT_EQ(slices(5, 1), "TPU-655 2");
}

TEST(Judge, TakesTheFirstRuleThatNamesTheNamespace) {
  Rules rules = dev({.chips = 8});
  rules.list.push_back({.name = "all", .namespaces = {"*"}, .chips = 64});
  EXPECT_NE(said(rules, two_slices()), "");
  EXPECT_EQ(said(rules, two_slices(), "prod"), "");
}

TEST(Judge, SaysWhichNamespacesMayNotAsk) {
  Rules rules = dev({});
  EXPECT_EQ(said(rules, two_slices(), "prod"), "");
  rules.others_may_ask = false;
  EXPECT_EQ(said(rules, two_slices(), "prod"),
            "TPU-651 namespace prod may not ask for TPUs: no rule names it (ask #tpu)");
  EXPECT_EQ(said(rules, {"x", {}}, "prod"), "");
}

TEST(Judge, WarnsOfWorkThatCannotResume) {
  const Rules rules = dev({.resumable = true});
  AskedObject object = two_slices();
  object.templates[0].capacity = Capacity::spot;
  EXPECT_EQ(said(rules, object),
            "TPU-659 group a: asks for spot capacity, but no annotation names a checkpoint to "
            "resume from (rule dev; ask #tpu)");
  object.templates[0].run.checkpoint = true;
  EXPECT_EQ(said(rules, object), "");
  object.templates[0].run.restarted = false;
  EXPECT_EQ(said(rules, object),
            "TPU-659 group a: asks for spot capacity, but nothing creates its Pods again (rule "
            "dev; ask #tpu)");
  object.templates[0].capacity = Capacity::reservation;
  EXPECT_EQ(said(rules, object), "");
}

TEST(Judge, WarnsOfJobsWithoutAnEnd) {
  const Rules rules = dev({.run_seconds = 3600});
  AskedObject object = two_slices();
  object.templates[0].run.ends = true;
  EXPECT_EQ(
      said(rules, object),
      "TPU-660 group a: nothing says when it ends, expected at most 3600 s (rule dev; ask #tpu)");
  object.templates[0].run.seconds = 7200;
  EXPECT_EQ(said(rules, object),
            "TPU-660 group a: may run for 7200 s, expected at most 3600 s (rule dev; ask #tpu)");
  object.templates[0].run.seconds = 3600;
  EXPECT_EQ(said(rules, object), "");
}

TEST(RuleOf, LooksAtNoMoreThanANamespacesName) {
  const Rules rules{
      {{.name = "dev", .namespaces = {"*-dev"}}, {.name = "a", .namespaces = {"a*"}}}};
  const auto name = [&](const std::string& ns) {
    const Rule* found = rule_of(rules, ns);
    return found == nullptr ? "" : found->name;
  };
  EXPECT_EQ(name(std::string(59, 'a') + "-dev"), "dev");
  EXPECT_EQ(name(std::string(61, 'a') + "-dev"), "a");
  EXPECT_EQ(name(std::string(7'000'000, '-')), "");
}

TEST(WasBroken, GoesByWhatAndByHowMuch) {
  const Rules rules = dev({.accelerators = {"tpu7x"}, .chips = 8});
  const auto broken = [&](std::uint64_t pods, const char* accelerator) {
    AskedObject object = two_slices();
    object.templates[0].pods = pods;
    object.templates[0].accelerator = accelerator;
    return judge(rules, "team-dev", object);
  };
  const auto worse = [&](const std::vector<Broken>& before, const std::vector<Broken>& now) {
    int count = 0;
    for (const Broken& each : now) count += BrokenBefore(before).includes(each) ? 0 : 1;
    return count;
  };
  EXPECT_EQ(worse(broken(8, "tpu-v6e-slice"), broken(8, "tpu-v6e-slice")), 0);
  EXPECT_EQ(worse(broken(8, "tpu-v6e-slice"), broken(4, "tpu-v6e-slice")), 0);
  EXPECT_EQ(worse(broken(8, "tpu-v6e-slice"), broken(9, "tpu-v6e-slice")), 2);  // of both
  EXPECT_EQ(worse(broken(8, "tpu-v6e-slice"), broken(8, "tpu-v5p-slice")), 1);
  EXPECT_EQ(worse({}, broken(8, "tpu-v6e-slice")), 2);
}

}  // namespace
}  // namespace tpuwh::server::team_rules
