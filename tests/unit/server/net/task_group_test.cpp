// A task that must live is started again.
#include "server/net/task_group.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

namespace tpuwh::server::net {
namespace {

using namespace std::chrono_literals;

class TaskGroupTest : public testing::Test {
 protected:
  TaskGroupTest() {
    tasks.when_failed([this](const TaskFailure& failure) {
      told.push_back(std::string(failure.task) + ": " + std::string(failure.what));
      pauses.push_back(failure.pause);
    });
  }

  // Fails so often, then lives until it is cancelled.
  Task<void> fail(int times) {
    if (++begun <= times) throw std::runtime_error("fault " + std::to_string(begun));
    Timer timer(context.get_executor());
    timer.expires_after(1h);
    const auto [error] = co_await timer.async_wait(as_result);
    ended = error == boost::asio::error::operation_aborted;
  }
  Task<void> fail_with(int what) {
    ++begun;
    if (what == 1) throw 7;
    co_return;
  }
  // Turns the loop until so many tasks have begun.
  void turn(int until_begun) {
    while (begun < until_begun) context.run_one();
  }

  TaskGroup tasks{RestartPauses{.first = 1ms, .most = 4ms}};
  boost::asio::io_context context{1};
  std::vector<std::string> told;
  std::vector<Clock::duration> pauses;
  int begun = 0;
  bool ended = false;
};

TEST_F(TaskGroupTest, starts_a_task_again_that_threw) {
  tasks.keep(context.get_executor(), "keeper", [this] { return fail(5); });
  turn(6);
  EXPECT_EQ(told, (std::vector<std::string>{"keeper: fault 1", "keeper: fault 2", "keeper: fault 3",
                                            "keeper: fault 4", "keeper: fault 5"}));
  EXPECT_EQ(pauses, (std::vector<Clock::duration>{1ms, 2ms, 4ms, 4ms, 4ms}));
  tasks.cancel();
  context.run();
  EXPECT_TRUE(ended);
  EXPECT_EQ(begun, 6);
}

TEST_F(TaskGroupTest, ends_a_kept_task_that_waits_to_be_started_again) {
  tasks.keep(context.get_executor(), "keeper", [this] { return fail(1000); });
  while (told.size() < 3) context.run_one();
  tasks.cancel();
  context.run();  // returns
  EXPECT_LE(begun, 4);
}

// A listener does: the health port's kept a server from ending.
TEST_F(TaskGroupTest, ends_a_kept_task_that_goes_on_after_errors) {
  const auto stubborn = [](Executor on) -> Task<void> {
    Timer timer(on);
    for (;;) {
      timer.expires_after(1h);
      co_await timer.async_wait(as_result);
    }
  };
  tasks.keep(context.get_executor(), "listener", [&] { return stubborn(context.get_executor()); });
  context.poll();
  tasks.cancel();
  context.run_for(2s);
  EXPECT_TRUE(context.stopped());
  EXPECT_TRUE(told.empty());
}

TEST_F(TaskGroupTest, does_not_start_again_what_has_returned) {
  tasks.keep(context.get_executor(), "once", [this] { return fail_with(0); });
  context.run();
  EXPECT_EQ(begun, 1);
  EXPECT_TRUE(told.empty());
}

// A maker fails as what it makes does.
TEST_F(TaskGroupTest, starts_again_what_could_not_be_made) {
  tasks.keep(context.get_executor(), "keeper", [this]() -> Task<void> {
    if (++begun == 1) throw std::runtime_error("no memory");
    return fail_with(0);
  });
  context.run();
  EXPECT_EQ(told, std::vector<std::string>{"keeper: no memory"});
}

TEST_F(TaskGroupTest, says_what_ends_a_task_that_is_not_kept) {
  tasks.spawn(context.get_executor(), fail(1));
  tasks.spawn(context.get_executor(), fail_with(1));
  context.run();
  EXPECT_EQ(told, (std::vector<std::string>{": fault 1", ": an exception of no known type"}));
  EXPECT_EQ(begun, 2);
}

// A task that asks for no error codes is ended by an exception: that is no failure.
TEST_F(TaskGroupTest, a_cancelled_task_has_not_failed) {
  const auto sleep = [](Executor on) -> Task<void> {
    Timer timer(on);
    timer.expires_after(1h);
    co_await timer.async_wait(boost::asio::use_awaitable_t<Executor>());
  };
  tasks.spawn(context.get_executor(), sleep(context.get_executor()));
  context.poll();
  tasks.cancel();
  context.run();
  EXPECT_TRUE(told.empty());
}

// Whoever is told may fail as well.
TEST_F(TaskGroupTest, goes_on_where_nobody_can_be_told) {
  tasks.when_failed([](const TaskFailure&) { throw std::runtime_error("the log is full"); });
  tasks.keep(context.get_executor(), "keeper", [this] { return fail(2); });
  turn(3);
  tasks.cancel();
  context.run();
  EXPECT_TRUE(ended);
}

}  // namespace
}  // namespace tpuwh::server::net
