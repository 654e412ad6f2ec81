// What ends a process, told with a clock that the test turns.
#include "server/serve/app/watch.hpp"

#include <gtest/gtest.h>

#include <array>

namespace tpuwh::server::app {
namespace {

using namespace std::chrono_literals;
using Why = Watch::Why;

constexpr auto drain = 10s;

// Three loops, looked at every heartbeat.
class WatchTest : public testing::Test {
 protected:
  // For so long, while the loops that are not `hanging` turn. What ends it, if anything does.
  std::optional<Watch::Verdict> live(net::Clock::duration time) {
    for (const auto until = now_ + time; now_ < until;) {
      now_ += limits::heartbeat;
      if (const auto verdict = look()) return verdict;
    }
    return std::nullopt;
  }

  // All of it stood still, the watchdog too.
  std::optional<Watch::Verdict> stand_still(net::Clock::duration time) {
    now_ += time;
    return watch_.look(now_, turns_);
  }

  std::optional<Watch::Verdict> look() {
    for (std::size_t i = 0; i < turns_.size(); ++i)
      if (!hanging_[i] && turns_[i] != ended) ++turns_[i];
    return watch_.look(now_, turns_);
  }

  net::TimePoint now_{1h};
  Watch watch_{3, drain, now_};
  std::array<Turns, 3> turns_{};
  std::array<bool, 3> hanging_{};
};

TEST_F(WatchTest, lives_while_every_loop_turns) {
  watch_.begin();
  EXPECT_FALSE(live(1h));
}

TEST_F(WatchTest, ends_with_the_loop_that_does_not_turn) {
  watch_.begin();
  ASSERT_FALSE(live(1min));
  hanging_[2] = true;
  EXPECT_FALSE(live(limits::stuck_for_good - limits::heartbeat));
  const auto verdict = live(limits::heartbeat);
  ASSERT_TRUE(verdict);
  EXPECT_EQ(verdict->why, Why::stuck);
  EXPECT_EQ(verdict->loop, 2u);
  EXPECT_EQ(verdict->lasted, limits::stuck_for_good);
}

TEST_F(WatchTest, a_long_turn_is_forgotten_when_it_is_over) {
  watch_.begin();
  for (int i = 0; i < 10; ++i) {
    hanging_[1] = true;
    EXPECT_FALSE(live(limits::stuck_for_good - 1s));
    hanging_[1] = false;
    EXPECT_FALSE(live(limits::heartbeat));
  }
}

TEST_F(WatchTest, before_they_begin_no_loop_has_to_turn) {
  hanging_.fill(true);
  EXPECT_FALSE(live(1h));
  watch_.begin();
  EXPECT_FALSE(live(limits::stuck_for_good - limits::heartbeat));
  EXPECT_TRUE(live(1s));
}

TEST_F(WatchTest, a_pause_of_the_whole_process_is_no_loop_that_hangs) {
  watch_.begin();
  ASSERT_FALSE(live(1min));
  for (const auto pause : {14s, 30s, 3600s, 1'000'000s}) {
    EXPECT_FALSE(stand_still(pause)) << pause.count();
    EXPECT_FALSE(live(1s));
  }
}

// Throttled: the watchdog wakes up once in so long, and the loops turn once in between.
TEST_F(WatchTest, a_process_that_hardly_runs_lives) {
  watch_.begin();
  for (int i = 0; i < 100; ++i) {
    now_ += 19s;
    EXPECT_FALSE(look());
  }
}

TEST_F(WatchTest, a_loop_that_hangs_in_a_process_that_pauses_ends_it_all_the_same) {
  watch_.begin();
  ASSERT_FALSE(live(1min));
  hanging_[0] = true;
  std::optional<Watch::Verdict> verdict;
  for (int looks = 0; looks < 41 && !verdict; ++looks) verdict = stand_still(30s);
  ASSERT_TRUE(verdict);
  EXPECT_EQ(verdict->loop, 0u);
}

TEST_F(WatchTest, a_clock_that_goes_back_counts_for_nothing) {
  watch_.begin();
  hanging_[0] = true;
  ASSERT_FALSE(live(10s));
  EXPECT_FALSE(stand_still(-5s));
  EXPECT_FALSE(live(9s));
  EXPECT_TRUE(live(2s));
}

TEST_F(WatchTest, a_signal_before_it_serves_ends_it_at_once) {
  watch_.signal();
  const auto verdict = look();
  ASSERT_TRUE(verdict);
  EXPECT_EQ(verdict->why, Why::not_begun);
}

TEST_F(WatchTest, a_drain_has_its_time_and_a_margin) {
  watch_.begin();
  ASSERT_FALSE(live(1min));
  watch_.signal();
  EXPECT_FALSE(live(drain + limits::drain_margin - limits::heartbeat));
  const auto verdict = live(1s);
  ASSERT_TRUE(verdict);
  EXPECT_EQ(verdict->why, Why::not_drained);
  EXPECT_FALSE(verdict->loop) << "they all turn";
  EXPECT_EQ(verdict->lasted, drain + limits::drain_margin);
}

TEST_F(WatchTest, a_drain_that_a_loop_does_not_hear_names_it) {
  watch_.begin();
  ASSERT_FALSE(live(1min));
  hanging_[0] = true;
  watch_.signal();
  const auto verdict = live(1min);
  ASSERT_TRUE(verdict);
  EXPECT_EQ(verdict->why, Why::not_drained);
  EXPECT_EQ(verdict->loop, 0u);
}

TEST_F(WatchTest, a_pause_takes_no_time_from_a_drain) {
  watch_.begin();
  watch_.signal();
  EXPECT_FALSE(live(5s));
  EXPECT_FALSE(stand_still(1h));
  EXPECT_FALSE(live(5s));
}

TEST_F(WatchTest, a_second_signal_waits_for_two_seconds_and_a_third_for_no_more) {
  watch_.begin();
  watch_.signal();
  EXPECT_FALSE(live(1s));
  watch_.signal();
  EXPECT_FALSE(live(1s));
  watch_.signal();
  const auto verdict = live(limits::second_signal);
  ASSERT_TRUE(verdict);
  EXPECT_EQ(verdict->why, Why::not_at_once);
  EXPECT_LE(verdict->lasted, 1s + limits::second_signal);
}

TEST_F(WatchTest, a_second_signal_gives_no_more_time) {
  watch_.begin();
  watch_.signal();
  EXPECT_FALSE(live(drain + limits::drain_margin - 1s));
  watch_.signal();
  EXPECT_TRUE(live(1s));
}

TEST_F(WatchTest, loops_that_have_ended_need_not_turn) {
  watch_.begin();
  ASSERT_FALSE(live(1min));
  turns_.fill(ended);
  EXPECT_FALSE(live(1h));
  watch_.signal();
  const auto verdict = live(1min);
  ASSERT_TRUE(verdict) << "but the process has to";
  EXPECT_FALSE(verdict->loop);
}

// Else a kubelet would be first, and nobody would know why.
TEST(WatchLimits, are_below_what_others_wait_for) {
  // livenessProbe: every 10 s, 5 s each, three times; the first at once.
  EXPECT_LT(limits::stuck_for_good, 2 * 10s + 5s);
  EXPECT_LT(limits::stuck, limits::stuck_for_good);
  // terminationGracePeriodSeconds 30, --drain-delay 5s, --drain-timeout 20s
  EXPECT_LT(5s + 20s + limits::drain_margin, 30s);
}

}  // namespace
}  // namespace tpuwh::server::app
