// Reads files of rules, right ones and wrong ones.
#include "kubectl/team_rules/rules_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tpuwh::server::team_rules {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string lines_of(const std::vector<std::string>& problems) {
  std::string out;
  for (const std::string& each : problems) out += (out.empty() ? "" : "\n") + each;
  return out;
}

TEST(RulesFile, IsRead) {
  const RulesFile read = parse_rules(
      "contact: \"#tpu\"\n"
      "otherNamespaces: deny\n"
      "rules:\n"
      "  - name: dev\n"
      "    namespaces: [\"*-dev\"]\n"
      "    accelerators: [tpu-v6e-slice]\n"
      "    topologies: [2x2, 4x4]\n"
      "    capacity: [spot, flex-start]\n"
      "    maxSliceChips: 16\n"
      "    maxSlices: 2\n"
      "    maxChips: 32\n"
      "    names: tpu-*\n"
      "    resumable: true\n"
      "    maxRunSeconds: 43200\n"
      "    labels: {team: [a, b], example.com/cost: [\"*\"]}\n"
      "    queue: true\n"
      "    images: [\"registry.example/*\"]\n"
      "    forbid: [privileged, hostPath, hostNetwork, defaultServiceAccount, latest, tags]\n"
      "    secretVariables: [\"*_TOKEN\"]\n"
      "  - {name: all, namespaces: [\"*\"]}\n",
      "f");
  ASSERT_EQ(lines_of(read.problems), "");
  EXPECT_EQ(read.rules.contact, "#tpu");
  EXPECT_FALSE(read.rules.others_may_ask);
  const Rule dev{.name = "dev",
                 .namespaces = {"*-dev"},
                 .accelerators = {"tpu-v6e-slice"},
                 .topologies = {"2x2", "4x4"},
                 .capacities = {Capacity::spot, Capacity::flex_start},
                 .slice_chips = 16,
                 .slices = 2,
                 .chips = 32,
                 .object_names = "tpu-*",
                 .resumable = true,
                 .run_seconds = 43200,
                 .hygiene = {.labels = {{"team", {"a", "b"}}, {"example.com/cost", {"*"}}},
                             .queue = true,
                             .images = {"registry.example/*"},
                             .digests = true,
                             .tags = true,
                             .privileged = false,
                             .host_paths = false,
                             .host_network = false,
                             .default_account = false,
                             .secret_variables = {"*_TOKEN"}}};
  EXPECT_THAT(read.rules.list, ElementsAre(dev, Rule{.name = "all", .namespaces = {"*"}}));
}

TEST(RulesFile, HasItsProblemsToldAllAtOnceWithTheirLines) {
  const RulesFile read = parse_rules(
      "rules:\n"
      "  - name: dev\n"
      "    namespace: [a]\n"
      "    maxChips: -1\n"
      "    capacity: [spott]\n"
      "  - name: dev\n"
      "    namespaces: [a]\n"
      "    forbid: [latest, root]\n",
      "f");
  EXPECT_EQ(lines_of(read.problems),
            "f:2: rules.0: namespaces is missing\n"
            "f:3: rules.0.namespace: unknown key; did you mean \"namespaces\"?\n"
            "f:4: rules.0.maxChips: expected a whole number from 0 to 1000000000, got -1\n"
            "f:5: rules.0.capacity: expected names out of on-demand, reservation, spot, "
            "flex-start, got ?spott?; did you mean \"spot\"?\n"
            "f:6: rules.1.name: dev is the name of an earlier rule\n"
            "f:8: rules.1.forbid: expected names out of privileged, hostPath, hostNetwork, "
            "defaultServiceAccount, latest, tags, got ?root?");
}

TEST(RulesFile, IsNotEmpty) {
  for (const char* text : {"", "rules: []\n", "rules:\n", "contact: a\n", "- a\n", "rules: [1]\n",
                           "rules:\n  - name: a\n    namespaces: [b]\n    name: c\n", "{"})
    EXPECT_FALSE(parse_rules(text, "f").problems.empty()) << text;
  EXPECT_THAT(lines_of(read_rules("/nowhere/rules.yaml").problems),
              HasSubstr("/nowhere/rules.yaml: No such file"));
}

}  // namespace
}  // namespace tpuwh::server::team_rules
