#include "server/slices/clock.hpp"

#include "server/text/rfc3339.hpp"
#include "tests/support/named_case.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace tpuwh::server::slices {
namespace {

using test::case_name;
using test::PrintTo;

struct TimesCase {
  const char* name;
  const char* object;
  const char* newest;  // "" for none
};

class NewestTime : public testing::TestWithParam<TimesCase> {};

TEST_P(NewestTime, is_the_last_of_what_an_object_tells_of) {
  const auto object = nlohmann::ordered_json::parse(GetParam().object);
  EXPECT_EQ(newest_time(object), text::parse_time(GetParam().newest));
}

const TimesCase newest_times[] = {
    {"nothing", R"({"metadata": {"name": "a"}})", ""},
    {"no_object", "5", ""},
    {"creation", R"({"metadata": {"creationTimestamp": "2026-03-03T08:00:00Z"}})",
     "2026-03-03T08:00:00Z"},
    {"a_write", R"({"metadata": {"creationTimestamp": "2026-03-03T08:00:00Z",
                                 "managedFields": [{"time": "2026-03-03T09:00:00Z"}, {}]}})",
     "2026-03-03T09:00:00Z"},
    {"a_deletion_began_before_its_grace",
     R"({"metadata": {"deletionTimestamp": "2026-03-03T08:00:30Z",
                      "deletionGracePeriodSeconds": 30}})",
     "2026-03-03T08:00:00Z"},
    {"a_deletion_without_grace", R"({"metadata": {"deletionTimestamp": "2026-03-03T08:00:30Z"}})",
     ""},
    {"a_grace_without_bounds",
     R"({"metadata": {"creationTimestamp": "2026-03-03T08:00:00Z",
                      "deletionTimestamp": "2026-03-03T08:00:30Z",
                      "deletionGracePeriodSeconds": 9223372036854775807}})",
     "2026-03-03T08:00:00Z"},
    {"a_condition", R"({"status": {"startTime": "2026-03-03T08:00:00Z", "conditions": [
                        {"lastTransitionTime": "2026-03-03T08:30:00Z", "lastHeartbeatTime": null},
                        {"lastHeartbeatTime": "2026-03-03T08:31:00Z"}]}})",
     "2026-03-03T08:31:00Z"},
    {"containers", R"({"status": {"containerStatuses": [
                        {"state": {"running": {"startedAt": "2026-03-03T08:00:00Z"}}},
                        {"state": {"terminated": {"finishedAt": "2026-03-03T08:02:00Z"}}}]}})",
     "2026-03-03T08:02:00Z"},
    {"a_taint", R"({"spec": {"taints": [{"key": "a"}, {"timeAdded": "2026-03-03T08:00:00Z"}]}})",
     "2026-03-03T08:00:00Z"},
    {"another_zone", R"({"metadata": {"creationTimestamp": "2026-03-03T08:00:00+02:00",
                         "managedFields": [{"time": "2026-03-03T07:00:00Z"}]}})",
     "2026-03-03T07:00:00Z"},
};
INSTANTIATE_TEST_SUITE_P(Clock, NewestTime, testing::ValuesIn(newest_times), case_name);

class NotReadySince : public testing::TestWithParam<TimesCase> {};

TEST_P(NotReadySince, is_told_by_the_taint_else_by_the_condition) {
  const auto object = nlohmann::ordered_json::parse(GetParam().object);
  EXPECT_EQ(not_ready_since(object), text::parse_time(GetParam().newest));
}

const TimesCase unready_nodes[] = {
    {"ready", R"({"status": {"conditions": [
       {"type": "Ready", "status": "True", "lastTransitionTime": "2026-03-03T08:00:00Z"}]}})",
     ""},
    {"condition", R"({"status": {"conditions": [
       {"type": "Ready", "status": "Unknown", "lastTransitionTime": "2026-03-03T08:00:00Z"},
       {"type": "Disk", "status": "True", "lastTransitionTime": "2026-03-03T09:00:00Z"}]}})",
     "2026-03-03T08:00:00Z"},
    {"taint", R"({"spec": {"taints": [
         {"key": "node.kubernetes.io/unreachable", "effect": "NoSchedule",
          "timeAdded": "2026-03-03T08:00:05Z"},
         {"key": "node.kubernetes.io/unreachable", "effect": "NoExecute",
          "timeAdded": "2026-03-03T08:00:10Z"}]},
       "status": {"conditions": [{"type": "Ready", "status": "Unknown",
                                  "lastTransitionTime": "2026-03-03T08:00:00Z"}]}})",
     "2026-03-03T08:00:10Z"},
    {"another_taint", R"({"spec": {"taints": [{"key": "team", "effect": "NoExecute",
                                               "timeAdded": "2026-03-03T08:00:10Z"}]}})",
     ""},
};
INSTANTIATE_TEST_SUITE_P(Clock, NotReadySince, testing::ValuesIn(unready_nodes), case_name);

}  // namespace
}  // namespace tpuwh::server::slices
