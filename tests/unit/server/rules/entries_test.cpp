// How the entries share the Pods. Which Pods reach which is asked of a real API server, in
// tests/e2e/test_entries.py.
#include "server/rules/entries.hpp"

#include "webhook/workloads/table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tpuwh::server::rules {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;
using webhook::workloads::Workload;

const std::string prefix = "tpu.example.com/";

TEST(EntriesTest, one_for_each_workload_api_in_the_order_of_the_table_then_that_of_the_claims) {
  std::vector<std::string> found, wanted;
  for (const Entry& entry : entries(prefix)) found.push_back(entry.workload);
  for (const Workload& workload : webhook::workloads::workloads())
    wanted.emplace_back(workload.name);
  wanted.emplace_back("");
  EXPECT_EQ(found, wanted);
}

TEST(EntriesTest, each_leaves_out_what_those_before_it_have) {
  const auto all = entries(prefix);
  const auto table = webhook::workloads::workloads();
  for (std::size_t i = 0; i < table.size(); ++i) {
    for (std::size_t before = 0; before < i; ++before)
      EXPECT_THAT(all[i].of_workload, HasSubstr("!(" + std::string(table[before].cel) + ")"));
    if (i + 1 < table.size()) {
      EXPECT_THAT(all[i].of_workload, HasSubstr("(" + std::string(table[i].cel) + ")"));
    }
  }
}

TEST(EntriesTest, the_test_that_most_pods_fail_comes_first) {
  const std::string asks = conditions(prefix).asks_for_tpu;
  for (const Entry& entry : entries(prefix))
    EXPECT_THAT(entry.expression, StartsWith(entry.workload.empty() ? "!" + asks : asks))
        << entry.name;
}

TEST(EntriesTest, annotations_alone_lead_to_the_last_of_the_table) {
  for (const Entry& entry : entries(prefix)) {
    const auto asks_them = HasSubstr("key.startsWith('tpu.example.com/')");
    if (entry.workload == "pod") {
      EXPECT_THAT(entry.expression, asks_them);
    } else {
      EXPECT_THAT(entry.expression, Not(asks_them)) << entry.name;
    }
  }
}

TEST(EntriesTest, as_yaml) {
  EXPECT_THAT(entries_yaml(prefix), StartsWith("- name: ray.pods.tpu-webhook.dev\n"
                                               "  objectSelector:\n"
                                               "    matchExpressions:\n"
                                               "      - key: ray.io/node-type\n"
                                               "        operator: In\n"
                                               "        values: [worker]\n"
                                               "  matchConditions:\n"
                                               "    - name: ray\n"
                                               "      expression: |-\n"
                                               "        [object.spec.containers"));
}

}  // namespace
}  // namespace tpuwh::server::rules
