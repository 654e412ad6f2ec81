#include "kubectl/inspect/slices/clock.hpp"

#include "kubectl/text/rfc3339.hpp"
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
  const char* since;  // "" for never
};

class NotReadySince : public testing::TestWithParam<TimesCase> {};

TEST_P(NotReadySince, is_told_by_the_taint_else_by_the_condition) {
  const auto object = nlohmann::ordered_json::parse(GetParam().object);
  EXPECT_EQ(not_ready_since(object), text::parse_time(GetParam().since));
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
