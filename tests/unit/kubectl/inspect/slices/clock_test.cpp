#include "kubectl/inspect/slices/clock.hpp"

#include "kubectl/text/rfc3339.hpp"
#include "tests/support/yaml.hpp"

#include <gtest/gtest.h>

namespace tpuwh::server::slices {
namespace {

// "" for never.
TEST(NotReadySince, is_told_by_the_taint_else_by_the_condition) {
  const std::pair<const char*, const char*> cases[] = {
      {"{status: {conditions: [{type: Ready, status: 'True', lastTransitionTime: "
       "2026-03-03T08:00:00Z}]}}",
       ""},
      {"{status: {conditions: [{type: Ready, status: Unknown, lastTransitionTime: "
       "2026-03-03T08:00:00Z}, {type: Disk, status: 'True', lastTransitionTime: "
       "2026-03-03T09:00:00Z}]}}",
       "2026-03-03T08:00:00Z"},
      {"{spec: {taints: [{key: node.kubernetes.io/unreachable, effect: NoSchedule, timeAdded: "
       "2026-03-03T08:00:05Z}, {key: node.kubernetes.io/unreachable, effect: NoExecute, timeAdded: "
       "2026-03-03T08:00:10Z}]}, status: {conditions: [{type: Ready, status: Unknown, "
       "lastTransitionTime: 2026-03-03T08:00:00Z}]}}",
       "2026-03-03T08:00:10Z"},
      {"{spec: {taints: [{key: team, effect: NoExecute, timeAdded: 2026-03-03T08:00:10Z}]}}", ""},
  };
  for (const auto& [node, since] : cases)
    EXPECT_EQ(not_ready_since(test::yaml(node)), text::parse_time(since)) << node;
}

}  // namespace
}  // namespace tpuwh::server::slices
