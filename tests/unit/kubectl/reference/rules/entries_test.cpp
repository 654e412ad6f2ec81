// What the entries look like. Which Pods reach which: partition_test.cpp, and, asked of a real API
// server, tests/e2e/test_entries.py.
#include "kubectl/reference/rules/entries.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tpuwh::server::rules {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;
using webhook::config::Config;
using webhook::config::Mode;
using webhook::config::WorkloadKind;

Config with(Mode mode) {
  Config out;
  out.mode = mode;
  out.prefix = "tpu.example.com/";
  return out;
}

std::vector<std::string> reached(const Config& config) {
  std::vector<std::string> out;
  for (const Entry& entry : entries(config))
    if (entry.mode) out.push_back(entry.name);
  return out;
}

const Entry& named(const std::vector<Entry>& all, std::string_view name) {
  return *std::ranges::find(all, name, &Entry::name);
}

TEST(EntriesTest, always_of_the_same_names_in_the_order_of_the_table_then_claims) {
  std::vector<std::string> wanted;
  for (const OfWorkload& each : of_workloads()) wanted.push_back(each.entry);
  wanted.emplace_back("claims.pods.tpu-webhook.dev");
  Config few = with(Mode::shadow);
  few.workloads = {WorkloadKind::job};
  Config mixed = with(Mode::shadow);
  mixed.of(WorkloadKind::job).mode = Mode::enforce;
  for (const Config& config : {with(Mode::enforce), with(Mode::shadow), few, mixed}) {
    std::vector<std::string> found;
    for (const Entry& entry : entries(config)) found.push_back(entry.name);
    EXPECT_EQ(found, wanted);
  }
}

TEST(EntriesTest, are_chosen_by_keys_where_the_modes_are_one) {
  EXPECT_THAT(reached(with(Mode::shadow)),
              ElementsAre("ray.pods.tpu-webhook.dev", "lws.pods.tpu-webhook.dev",
                          "jobset.pods.tpu-webhook.dev", "pods.tpu-webhook.dev"));
  // Nobody waits for Pods with claims alone.
  EXPECT_THAT(reached(with(Mode::enforce)),
              ElementsAre("ray.pods.tpu-webhook.dev", "lws.pods.tpu-webhook.dev",
                          "jobset.pods.tpu-webhook.dev", "pods.tpu-webhook.dev",
                          "claims.pods.tpu-webhook.dev"));
  const auto all = entries(with(Mode::enforce));
  const Entry &jobset = all[2], &rest = named(all, "pods.tpu-webhook.dev");
  EXPECT_THAT(jobset.present, ElementsAre("jobset.sigs.k8s.io/jobset-name"));
  EXPECT_THAT(jobset.absent, ElementsAre("ray.io/node-type", "leaderworkerset.sigs.k8s.io/name"));
  EXPECT_THAT(rest.present, IsEmpty());
  EXPECT_THAT(rest.absent, ElementsAre("ray.io/node-type", "leaderworkerset.sigs.k8s.io/name",
                                       "jobset.sigs.k8s.io/jobset-name"));
  EXPECT_THAT(rest.workloads, ElementsAre("job", "statefulset", "pod"));
  EXPECT_EQ(jobset.expression, rest.expression);
  EXPECT_THAT(rest.expression, Not(HasSubstr("labels")));
}

TEST(EntriesTest, one_more_for_workload_apis_of_another_mode) {
  Config config = with(Mode::shadow);
  config.of(WorkloadKind::job).mode = Mode::enforce;
  config.of(WorkloadKind::statefulset).mode = Mode::enforce;
  config.of(WorkloadKind::ray).mode = Mode::enforce;
  const auto all = entries(config);
  EXPECT_THAT(reached(config), ElementsAre("ray.pods.tpu-webhook.dev", "lws.pods.tpu-webhook.dev",
                                           "jobset.pods.tpu-webhook.dev",
                                           "job.pods.tpu-webhook.dev", "pods.tpu-webhook.dev"));
  EXPECT_THAT(named(all, "job.pods.tpu-webhook.dev").workloads, ElementsAre("job", "statefulset"));
  EXPECT_EQ(named(all, "job.pods.tpu-webhook.dev").mode, Mode::enforce);
  EXPECT_EQ(named(all, "pods.tpu-webhook.dev").mode, Mode::shadow);
  // Half a set of Ray's labels is another's, so the key is no reason to pass anybody over.
  EXPECT_THAT(named(all, "pods.tpu-webhook.dev").absent,
              Not(testing::Contains("ray.io/node-type")));
}

TEST(EntriesTest, whoever_asks_by_claim_is_waited_for_where_claims_are_read) {
  Config config = with(Mode::enforce);
  config.claims = true;
  const auto all = entries(config);
  EXPECT_EQ(named(all, "claims.pods.tpu-webhook.dev").mode, Mode::enforce);
  const Conditions is = conditions(config.prefix);
  EXPECT_THAT(named(all, "claims.pods.tpu-webhook.dev").expression,
              StartsWith(is.has_claims + " &&\n!" + is.selects_gpus));
  // Of the others nothing is changed.
  const auto before = entries(with(Mode::enforce));
  for (std::size_t i = 0; i + 1 < all.size(); ++i) {
    EXPECT_EQ(all[i].expression, before[i].expression) << all[i].name;
    EXPECT_EQ(all[i].claims, before[i].claims) << all[i].name;
  }
  // In shadow mode nobody waits, and where modes differ each is where its TPU Pods are.
  config.mode = Mode::shadow;
  EXPECT_THAT(reached(config), testing::Not(testing::Contains("claims.pods.tpu-webhook.dev")));
  config.of(WorkloadKind::jobset).mode = Mode::enforce;
  EXPECT_THAT(reached(config), testing::Not(testing::Contains("claims.pods.tpu-webhook.dev")));
  const auto mixed = entries(config);
  EXPECT_EQ(named(mixed, "jobset.pods.tpu-webhook.dev").mode, Mode::enforce);
  EXPECT_TRUE(named(mixed, "jobset.pods.tpu-webhook.dev").claims);
}

TEST(EntriesTest, the_test_that_most_pods_fail_comes_first) {
  const std::string asks = conditions("tpu.example.com/").asks_for_tpu;
  for (const Entry& entry : entries(with(Mode::enforce)))
    EXPECT_THAT(entry.expression, StartsWith(entry.workloads.empty() && entry.mode
                                                 ? "(has(object.spec.resourceClaims) ||"
                                                 : asks))
        << entry.name;
}

TEST(EntriesTest, annotations_are_those_of_the_prefix) {
  for (const Entry& entry : entries(with(Mode::enforce))) {
    const auto asks_them = HasSubstr("key.startsWith('tpu.example.com/')");
    if (entry.mode && !entry.workloads.empty()) {
      EXPECT_THAT(entry.expression, asks_them) << entry.name;
    } else {
      EXPECT_THAT(entry.expression, Not(asks_them)) << entry.name;
    }
  }
}

TEST(EntriesTest, as_yaml_those_that_are_reached) {
  const std::string text = entries_yaml(with(Mode::enforce));
  EXPECT_THAT(text, StartsWith("# enforce: ray\n"
                               "- name: ray.pods.tpu-webhook.dev\n"
                               "  objectSelector:\n"
                               "    matchExpressions:\n"
                               "      - key: ray.io/node-type\n"
                               "        operator: Exists\n"
                               "  matchConditions:\n"
                               "    - name: ray\n"
                               "      expression: |-\n"
                               "        [object.spec.containers"));
  EXPECT_THAT(text, HasSubstr("# enforce: job, statefulset, pod\n- name: pods.tpu-webhook.dev\n"));
  EXPECT_THAT(text, HasSubstr("# shadow: resource claims\n- name: claims.pods.tpu-webhook.dev\n"));
  EXPECT_THAT(text, Not(HasSubstr("job.pods")));
}

}  // namespace
}  // namespace tpuwh::server::rules
