// Waiters on a loop of their own, in real time: a turn of these queues comes every 20 ms.
#include "server/kube/client/turns.hpp"

#include "server/net/task_group.hpp"

#include <gtest/gtest.h>

#include <boost/asio/this_coro.hpp>

#include <string>
#include <vector>

namespace tpuwh::server::kube::client {
namespace {

using namespace std::chrono_literals;

constexpr limits::api::Rate fifty{.per_second = 50, .burst = 2};
constexpr limits::api::Rate two{.per_second = 2, .burst = 2};

class QueueTest : public testing::Test {
 protected:
  // Notes who had a turn, in order; "-NAME" for who had none.
  net::Task<void> wait(std::string name, net::Clock::duration patience, Queue::Path whose,
                       std::size_t turns) {
    co_await boost::asio::this_coro::throw_if_cancelled(false);
    const bool mine = co_await asked->turn(whose, net::Clock::now() + patience, turns);
    served.push_back((mine ? "" : "-") + name);
  }
  void spawn(net::TaskGroup& group, const std::string& name, net::Clock::duration patience,
             const Queue::Path& whose = {}, std::size_t turns = 1) {
    group.spawn(context.get_executor(), wait(name, patience, whose, turns));
  }

  net::TaskGroup tasks, others;
  boost::asio::io_context context{1};
  Queue queue{context.get_executor(), fifty};
  Queue slow{context.get_executor(), two};
  Queue* asked = &queue;
  std::vector<std::string> served;
};

TEST_F(QueueTest, serves_in_the_order_of_coming) {
  for (const char* name : {"a", "b", "c", "d"}) spawn(tasks, name, 10s);
  const auto begin = net::Clock::now();
  context.run();
  EXPECT_EQ(served, (std::vector<std::string>{"a", "b", "c", "d"}));
  EXPECT_GE(net::Clock::now() - begin, 39ms);
}

TEST_F(QueueTest, says_at_once_that_there_is_no_turn_in_time_and_takes_none) {
  asked = &slow;  // the next turn is so far that a sanitizer comes to all of them before it
  for (const char* name : {"a", "b"}) spawn(tasks, name, 10s);
  for (int i = 0; i < 1000; ++i) spawn(tasks, "late", 5ms);
  spawn(tasks, "c", 10s);
  const auto begin = net::Clock::now();
  context.run();
  EXPECT_EQ(served.back(), "c");
  EXPECT_EQ(std::count(served.begin(), served.end(), "-late"), 1000);
  EXPECT_LT(net::Clock::now() - begin, 5s);  // a debt of 1,000 turns would be 500 s
}

TEST_F(QueueTest, who_is_cancelled_gives_the_turn_to_the_next) {
  for (const char* name : {"a", "b"}) spawn(tasks, name, 10s);
  for (int i = 0; i < 100; ++i) spawn(others, "gone", 10s);
  spawn(tasks, "c", 10s);
  net::Timer timer(context.get_executor());
  timer.expires_after(5ms);
  timer.async_wait([&](const net::error_code&) { others.cancel(); });
  const auto begin = net::Clock::now();
  context.run();
  EXPECT_EQ(served.back(), "c");
  EXPECT_EQ(std::count(served.begin(), served.end(), "-gone"), 100);
  EXPECT_LT(net::Clock::now() - begin, 1s);
}

// docs/decisions/0020: of 300 that each spent its first turn none had a second one in time.
TEST_F(QueueTest, all_turns_of_a_question_are_taken_at_once_or_none) {
  asked = &slow;
  spawn(tasks, "a", 10s, {"ns", "a"}, 2);
  spawn(tasks, "late", 100ms, {"ns", "a"}, 2);
  spawn(tasks, "b", 10s, {"ns", "a"}, 2);
  context.run();
  EXPECT_EQ(served, (std::vector<std::string>{"a", "-late", "b"}));
}

TEST_F(QueueTest, serves_owners_in_turn) {
  for (const char* name : {"a1", "a2", "a3", "a4", "a5"}) spawn(tasks, name, 10s, {"ns", "a"});
  for (const char* name : {"b1", "b2"}) spawn(tasks, name, 10s, {"ns", "b"});
  spawn(tasks, "c1", 10s, {"other", "c"});
  context.run();
  // a1 and a2 have the saved turns; the first that waits of each owner goes before its others.
  EXPECT_EQ(served, (std::vector<std::string>{"a1", "a2", "a3", "c1", "b1", "a4", "b2", "a5"}));
}

// However many wait of another one, an owner that asks now and then does not.
TEST_F(QueueTest, a_quarter_of_the_saved_turns_is_left_to_owners_of_whom_nothing_waits) {
  Queue many(context.get_executor(), {.per_second = 50, .burst = 40});
  asked = &many;
  for (int i = 0; i < 60; ++i) spawn(tasks, "many", 10s, {"ns", "a"}, 3);
  context.run_for(300ms);  // whatever was saved is spent, and that quarter has come back
  spawn(tasks, "quiet", 10ms, {"ns", "b"}, 3);
  context.run_for(20ms);
  EXPECT_EQ(std::count(served.begin(), served.end(), "quiet"), 1);
  EXPECT_LE(std::count(served.begin(), served.end(), "many"), 16);
  EXPECT_TRUE(many.has_turn({"ns", "b"}, net::Clock::now() + 100ms));
  EXPECT_FALSE(many.has_turn({"ns", "a"}, net::Clock::now() + 500ms));
  others.cancel();
  tasks.cancel();
  context.run();
}

TEST_F(QueueTest, turns_that_are_given_back_are_the_next_ones) {
  asked = &slow;
  spawn(tasks, "a", 10s, {"ns", "a"}, 2);
  spawn(tasks, "b", 10s, {"ns", "a"}, 2);
  context.run_for(5ms);
  EXPECT_EQ(served, (std::vector<std::string>{"a"}));
  slow.give_back(2);
  context.run_for(5ms);
  EXPECT_EQ(served, (std::vector<std::string>{"a", "b"}));
}

TEST_F(QueueTest, free_turns_are_those_that_nobody_waits_for) {
  EXPECT_EQ(queue.free(net::Clock::now()), 2u);
  spawn(tasks, "a", 10s);
  context.run();
  EXPECT_EQ(queue.free(net::Clock::now()), 1u);
}

class TurnsTest : public testing::Test {
 protected:
  static Request request(Purpose purpose) {
    Request request;
    request.method = "PUT";
    request.target = "/api/v1/pods/x?a=b";
    request.purpose = purpose;
    return request;
  }
  net::Task<void> wait(Purpose purpose, std::string& why) {
    co_await boost::asio::this_coro::throw_if_cancelled(false);
    const Request asked = request(purpose);
    why = co_await turns.wait(asked, net::Clock::now() + 10ms);
  }
  std::string waited(Purpose purpose) {
    std::string why = "not asked";
    tasks.spawn(context.get_executor(), wait(purpose, why));
    context.restart();
    context.run();
    return why;
  }

  net::TaskGroup tasks;
  boost::asio::io_context context{1};
  Turns turns{context.get_executor()};
};

TEST_F(TurnsTest, no_purpose_uses_up_anothers) {
  std::string last;
  for (int i = 0; i < 200; ++i) last = waited(Purpose::upkeep);
  EXPECT_EQ(last, "client rate limit: no slot before the deadline");
  EXPECT_EQ(waited(Purpose::question), "");
  EXPECT_EQ(waited(Purpose::watch), "");
  EXPECT_EQ(waited(Purpose::paid), "");
}

TEST_F(TurnsTest, a_pause_that_was_asked_for_is_everybodys) {
  turns.pause(request(Purpose::upkeep), 5s, net::Clock::now());
  for (const Purpose purpose : {Purpose::watch, Purpose::question, Purpose::upkeep}) {
    const std::string why = waited(purpose);
    EXPECT_TRUE(
        why.starts_with("the API server answered 429 to PUT /api/v1/pods/x and asked for a "
                        "pause of 5 s; "))
        << why;
    EXPECT_EQ(turns.free(purpose, net::Clock::now()), 0u);
  }
}

TEST_F(TurnsTest, a_pause_ends_and_has_a_bound) {
  const net::TimePoint now = net::Clock::now();
  turns.pause(request(Purpose::watch), 1h, now);
  EXPECT_EQ(turns.free(Purpose::watch, now + limits::api::retry_after_most - 1ms), 0u);
  EXPECT_GT(turns.free(Purpose::watch, now + limits::api::retry_after_most), 0u);
}

// 256 writes, one after the other, with what a second brings.
TEST(Budgets, a_slice_of_256_workers_takes_five_seconds) {
  constexpr auto rate = limits::api::questions;
  EXPECT_LE((256 - rate.burst) / rate.per_second, 5);
}

TEST(Budgets, a_thousand_groups_are_freed_in_two_minutes_with_a_list_for_each) {
  constexpr auto rate = limits::api::upkeep;
  EXPECT_LE(2 * 1000 / rate.per_second, 120);
}

}  // namespace
}  // namespace tpuwh::server::kube::client
