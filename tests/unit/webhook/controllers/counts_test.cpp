#include "webhook/controllers/counts.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace tpuwh::webhook::controllers {
namespace {

TEST(Counts, of_a_job) {
  struct {
    JobNumbers job;
    std::uint64_t pods;
  } cases[] = {
      {{{}, {}, true}, 1}, {{{}, {}, false}, 1}, {{4, 4, true}, 4},
      {{4, 2, true}, 4},   {{4, 2, false}, 2},   {{2, 4, false}, 2},
      {{{}, 3, false}, 3}, {{4, 0, true}, 0},    {{0, {}, true}, 0},
  };
  for (const auto& [job, pods] : cases)
    EXPECT_EQ(job_pods(job), pods) << job.completions.value_or(99) << job.parallelism.value_or(99);
}

TEST(Counts, of_a_ray_worker_group) {
  constexpr std::uint64_t unbounded = std::numeric_limits<std::int32_t>::max();
  struct {
    RayGroupNumbers group;
    std::uint64_t now, least, most;
  } cases[] = {
      {{}, 0, 0, 0},
      {{.replicas = 2}, 2, 2, 2},
      {{.replicas = 0, .least = 3, .most = 4}, 3, 3, 3},
      {{.replicas = 9, .least = 3, .most = 4}, 4, 4, 4},
      {{.least = 5, .most = 4}, 4, 4, 4},  // the upper bound wins
      {{.replicas = 2, .least = 1, .most = 4, .autoscaled = true}, 2, 1, 4},
      {{.replicas = 2, .autoscaled = true}, 2, 0, unbounded},
      {{.replicas = 2, .least = 1, .most = 4, .suspended = true, .autoscaled = true}, 0, 0, 0},
  };
  for (const auto& each : cases) {
    const auto [now, least, most] = ray_replicas(each.group);
    EXPECT_EQ(now, each.now);
    EXPECT_EQ(least, each.least);
    EXPECT_EQ(most, each.most);
  }
  EXPECT_EQ(ray_hosts({}), 1u);
  EXPECT_EQ(ray_hosts({.hosts = 4}), 4u);
}

}  // namespace
}  // namespace tpuwh::webhook::controllers
