#include "server/serve/https/health.hpp"

#include "server/limits/limits.hpp"

#include <gtest/gtest.h>

namespace tpuwh::server::https {
namespace {

using std::chrono::system_clock;

TEST(HealthTest, is_ready_from_serving_until_draining) {
  Health health(1);
  const auto now = system_clock::now();
  EXPECT_EQ(health.why_not_ready(now), "starting");
  health.set_serving();
  EXPECT_EQ(health.why_not_ready(now), "");
  health.set_draining();
  EXPECT_EQ(health.why_not_ready(now), "draining");
}

TEST(HealthTest, waits_for_its_cluster_and_for_a_certificate) {
  Health health(1);
  health.set_serving();
  health.await_cluster();
  EXPECT_NE(health.why_not_ready(system_clock::now()), "");
  health.set_synced();
  EXPECT_EQ(health.why_not_ready(system_clock::now()), "");
  health.set_certificate_end({});
  EXPECT_NE(health.why_not_ready(system_clock::now()), "");
  health.set_certificate_end(system_clock::now() + std::chrono::hours(1));
  EXPECT_EQ(health.why_not_ready(system_clock::now()), "");
}

TEST(HealthTest, is_not_ready_with_an_expired_certificate) {
  Health health(1);
  health.set_serving();
  const auto end = system_clock::now();
  health.set_certificate_end(end);
  EXPECT_EQ(health.why_not_ready(end - std::chrono::seconds(1)), "");
  EXPECT_EQ(health.why_not_ready(end), "certificate expired");
}

// What needs a kind that may not be read is off; the rest is answered.
TEST(HealthTest, is_ready_though_something_is_off) {
  Health health(1);
  health.set_serving();
  EXPECT_EQ(health.what_is_off(), "");
  health.set_off("nodes may not be read, off: the placement hint");
  EXPECT_EQ(health.why_not_ready(system_clock::now()), "");
  EXPECT_EQ(health.what_is_off(), "nodes may not be read, off: the placement hint");
  health.set_off("");
  EXPECT_EQ(health.what_is_off(), "");
}

TEST(HealthTest, is_alive_while_every_loop_turns) {
  Health health(2);
  const auto later = net::Clock::now() + 2 * limits::stuck;
  EXPECT_EQ(health.why_not_alive(net::Clock::now()), "");
  health.beat(0, later);
  EXPECT_EQ(health.why_not_alive(later), "an event loop is stuck");
  health.beat(1, later);
  EXPECT_EQ(health.why_not_alive(later), "");
  const auto last = later + limits::stuck;
  EXPECT_EQ(health.why_not_alive(last), "");
  EXPECT_EQ(health.why_not_alive(last + net::Clock::duration(1)), "an event loop is stuck");
}

TEST(HealthTest, stays_alive_while_draining) {
  Health health(1);
  health.set_draining();
  EXPECT_EQ(health.why_not_alive(net::Clock::now()), "");
}

}  // namespace
}  // namespace tpuwh::server::https
