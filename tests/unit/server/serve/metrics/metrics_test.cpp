#include "server/serve/metrics/metrics.hpp"

#include "server/serve/app/cluster_metrics.hpp"
#include "server/serve/metrics/process.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <set>
#include <sstream>
#include <string>

namespace tpuwh::server::metrics {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::Not;
using webhook::ledger::PlaceAnswer;
using webhook::outcome::Summary;

Summary patched(std::string_view workload) {
  Summary summary;
  summary.workload = workload;
  summary.outcome = webhook::outcome::Outcome::patched;
  summary.reason = webhook::outcome::Reason::injected;
  return summary;
}

TEST(MetricsTest, counts_reviews_by_what_was_decided_and_why) {
  Metrics metrics;
  for (int i = 0; i < 3; ++i) {
    const std::string workload = "job";  // a view that does not outlive the call
    metrics.review(Metrics::Webhook::mutate, patched(workload), 30us);
  }
  Summary shadowed = patched("job");
  shadowed.shadow = true;
  metrics.review(Metrics::Webhook::mutate, shadowed, 30us);
  metrics.review(Metrics::Webhook::validate, patched("jobset"), 2ms);
  const std::string text = metrics.text();
  EXPECT_THAT(text, HasSubstr("tpu_webhook_reviews_total{mode=\"enforce\",outcome=\"patched\","
                              "reason=\"injected\",webhook=\"mutate\",workload=\"job\"} 3\n"));
  EXPECT_THAT(text, HasSubstr("{mode=\"shadow\",outcome=\"patched\",reason=\"injected\","
                              "webhook=\"mutate\",workload=\"job\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("webhook=\"validate\",workload=\"jobset\"} 1\n"));
}

TEST(MetricsTest, times_are_in_seconds_and_their_buckets_add_up) {
  Metrics metrics;
  metrics.review(Metrics::Webhook::mutate, patched("job"), 30us);
  metrics.review(Metrics::Webhook::mutate, patched("job"), 700us);
  const std::string text = metrics.text();
  const std::string of = "tpu_webhook_review_duration_seconds";
  EXPECT_THAT(text, HasSubstr(of + "_count{webhook=\"mutate\"} 2\n"));
  EXPECT_THAT(text, HasSubstr(of + "_bucket{webhook=\"mutate\",le=\"2.5e-05\"} 0\n"));
  EXPECT_THAT(text, HasSubstr(of + "_bucket{webhook=\"mutate\",le=\"5e-05\"} 1\n"));
  EXPECT_THAT(text, HasSubstr(of + "_bucket{webhook=\"mutate\",le=\"0.001\"} 2\n"));
  EXPECT_THAT(text, HasSubstr(of + "_sum{webhook=\"mutate\"} 0.00073"));
}

TEST(MetricsTest, ledger_answers_say_whether_to_wait_for_members_or_for_the_api_server) {
  Metrics metrics;
  metrics.place(webhook::ledger::given_place({0, 1}, "0-1-0123456789abcdef"), 4ms);
  metrics.place(webhook::ledger::try_again("all 4 places are taken", /*retry_now=*/false), 1ms);
  metrics.place(webhook::ledger::try_again("no answer"), 6s);
  metrics.place({.kind = PlaceAnswer::Kind::refused, .why = "there is no ledger"}, 1us);
  const std::string text = metrics.text();
  for (const std::string answer : {"given", "full", "unavailable", "refused"})
    EXPECT_THAT(text, HasSubstr("tpu_webhook_ledger_answer_duration_seconds_count{answer=\"" +
                                answer + "\"} 1\n"));
}

TEST(MetricsTest, refusals_by_status) {
  Metrics metrics;
  metrics.refused(404);
  metrics.refused(404);
  metrics.refused(413);
  metrics.handshake_failed();
  const std::string text = metrics.text();
  EXPECT_THAT(text, HasSubstr("tpu_webhook_requests_refused_total{status=\"404\"} 2\n"));
  EXPECT_THAT(text, HasSubstr("tpu_webhook_requests_refused_total{status=\"413\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("tpu_webhook_handshakes_failed_total 1\n"));
}

kube::cluster::ClusterStatus a_cluster(net::TimePoint now) {
  kube::cluster::ClusterStatus status;
  status.watches.push_back({.resource = "pods",
                            .status = {.synced = true,
                                       .version = "4711",
                                       .moved = now - 90s,
                                       .error = {},
                                       .relists = 2,
                                       .failures = 3,
                                       .passed_over = 5},
                            .objects = 17});
  status.watches.push_back({.resource = "nodes", .status = {}, .objects = 0});
  status.watches.push_back({.resource = "rayclusters",
                            .status = {.trouble = kube::watch::Trouble::not_served},
                            .objects = 0});
  status.ledger = kube::cluster::LedgerStatus{
      .groups = 2, .entries = 6, .written = 8, .conflicts = 1, .failed = 0, .stalled = 1500ms};
  status.claims.emplace();
  return status;
}

std::string text_of(const kube::cluster::ClusterStatus& status, net::TimePoint now) {
  Metrics metrics;
  metrics.add([&](Samples& out) { app::cluster_metrics(status, now, out); });
  return metrics.text();
}

TEST(ClusterMetricsTest, age_position_and_size_of_each_watch) {
  const net::TimePoint now = net::Clock::now();
  const std::string text = text_of(a_cluster(now), now);
  EXPECT_THAT(text, HasSubstr("tpu_webhook_watch_age_seconds{resource=\"pods\"} 90\n"));
  EXPECT_THAT(text, HasSubstr("tpu_webhook_watch_resource_version{resource=\"pods\"} 4711\n"));
  EXPECT_THAT(text, HasSubstr("tpu_webhook_store_objects{resource=\"pods\"} 17\n"));
  EXPECT_THAT(text, HasSubstr("tpu_webhook_watch_relists_total{resource=\"pods\"} 2\n"));
  EXPECT_THAT(text, HasSubstr("tpu_webhook_watch_failures_total{resource=\"pods\"} 3\n"));
  EXPECT_THAT(text, HasSubstr("tpu_webhook_watch_passed_over_total{resource=\"pods\"} 5\n"));
  EXPECT_THAT(text, HasSubstr("tpu_webhook_ledger_places 6\n"));
  EXPECT_THAT(text, HasSubstr("tpu_webhook_ledger_stalled_seconds 1.5\n"));
  EXPECT_THAT(text, HasSubstr("tpu_webhook_ledger_writes_total{result=\"conflict\"} 1\n"));
  // A help and a type for each name, once.
  EXPECT_THAT(text, HasSubstr("# TYPE tpu_webhook_watch_synced gauge\n"
                              "tpu_webhook_watch_synced{resource=\"pods\"} 1\n"
                              "tpu_webhook_watch_synced{resource=\"nodes\"} 0\n"
                              "# HELP"));
}

TEST(ClusterMetricsTest, nothing_is_made_up_of_what_is_not_known) {
  const net::TimePoint now = net::Clock::now();
  const std::string text = text_of(a_cluster(now), now);
  EXPECT_THAT(text, Not(HasSubstr("age_seconds{resource=\"nodes\"}")));
  EXPECT_THAT(text, Not(HasSubstr("resource_version{resource=\"nodes\"}")));
  EXPECT_THAT(text, Not(HasSubstr("rayclusters")));
}

TEST(ClusterMetricsTest, a_feature_that_is_off_has_no_lines) {
  kube::cluster::ClusterStatus status = a_cluster(net::Clock::now());
  status.ledger.reset();
  status.claims.reset();
  const std::string text = text_of(status, net::Clock::now());
  EXPECT_THAT(text, Not(HasSubstr("tpu_webhook_ledger_groups")));
  EXPECT_THAT(text, Not(HasSubstr("tpu_webhook_claim")));
}

TEST(ProcessMetricsTest, memory_time_and_files_of_this_process) {
  Metrics metrics;
  metrics.add(process_metrics);
  const std::string text = metrics.text();
  for (const char* name :
       {"process_cpu_seconds_total ", "process_resident_memory_bytes ", "process_open_fds ",
        "process_start_time_seconds ", "process_max_fds ", "process_virtual_memory_bytes "})
    EXPECT_THAT(text, HasSubstr(std::string("\n") + name));
}

// Whoever reads the manual finds each metric, and no other.
TEST(MetricsTest, operations_md_lists_the_names) {
  const net::TimePoint now = net::Clock::now();
  Metrics metrics;
  metrics.refused(404);
  metrics.review(Metrics::Webhook::mutate, patched("job"), 30us);
  metrics.place(PlaceAnswer{}, 1us);
  metrics.add([&](Samples& out) { app::cluster_metrics(a_cluster(now), now, out); });
  std::set<std::string> told;
  std::istringstream text(metrics.text());
  for (std::string word; text >> word;)
    if (word == "TYPE" && text >> word) told.insert(word);

  std::ifstream manual(TPUWH_OPERATIONS);
  std::set<std::string> listed;
  for (std::string line; std::getline(manual, line);) {
    if (!line.starts_with("| `tpu_webhook_")) continue;
    for (auto at = line.find("`tpu_webhook_"); at != std::string::npos && at < line.find('|', 1);
         at = line.find("`tpu_webhook_", at + 1))
      listed.insert(line.substr(at + 1, line.find_first_of("`{", at + 1) - at - 1));
  }
  // Those of the server itself are checked where there is one: tests/server/operations.py.
  for (const char* of_server :
       {"tpu_webhook_build_info", "tpu_webhook_ready", "tpu_webhook_connections",
        "tpu_webhook_connections_limit", "tpu_webhook_handshakes_in_progress",
        "tpu_webhook_connections_closed_for_others_total", "tpu_webhook_held_bytes",
        "tpu_webhook_memory_bound_bytes", "tpu_webhook_certificate_not_after_timestamp_seconds"})
    EXPECT_EQ(listed.erase(of_server), 1u) << of_server;
  EXPECT_EQ(told, listed);
}

}  // namespace
}  // namespace tpuwh::server::metrics
