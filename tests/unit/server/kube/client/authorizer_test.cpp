// A plugin that takes its time, on a loop that must go on.
#include "server/kube/client/authorizer.hpp"
#include "server/kube/access/errc.hpp"

#include "server/net/task_group.hpp"

#include <gtest/gtest.h>

#include <boost/asio/this_coro.hpp>

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace tpuwh::server::kube::client {
namespace {

using namespace std::chrono_literals;

class SlowPlugin final : public access::Credentials {
 public:
  Result<std::string> authorization(Time) override {
    if (held) return std::string("Bearer t");
    ++runs;
    for (int i = 0; i < 30 && !stopped; ++i) std::this_thread::sleep_for(10ms);
    if (fails) return Error(kube::access::Errc::api_access, "the plugin failed");
    held = true;
    return std::string("Bearer t");
  }
  bool is_slow(Time) const override { return !held; }
  access::ClientCertificate certificate() const override { return {"certificate", "key"}; }
  void rejected() override { held = false; }
  void stop() override { stopped = true; }

  std::atomic<int> runs = 0;
  std::atomic<bool> stopped = false, held = false, fails = false;
};

class AuthorizerTest : public testing::Test {
 protected:
  net::Task<void> ask(net::Clock::duration patience) {
    co_await boost::asio::this_coro::throw_if_cancelled(false);
    const auto header = co_await authorizer->authorization(net::Clock::now() + patience);
    told.push_back(header ? *header : header.error().message());
  }
  void spawn(net::Clock::duration patience) { tasks.spawn(context.get_executor(), ask(patience)); }
  // Counts what the loop has time for.
  net::Task<void> tick() {
    net::Timer timer(context.get_executor());
    while (told.empty()) {
      timer.expires_after(1ms);
      co_await timer.async_wait(net::as_result);
      ++ticks;
    }
  }
  void run() {
    context.restart();
    context.run();
  }

  net::TaskGroup tasks;
  boost::asio::io_context context{1};
  std::shared_ptr<SlowPlugin> plugin = std::make_shared<SlowPlugin>();
  std::unique_ptr<Authorizer> authorizer =
      std::make_unique<Authorizer>(context.get_executor(), plugin);
  std::vector<std::string> told;
  int ticks = 0;
};

TEST_F(AuthorizerTest, the_loop_goes_on_while_a_plugin_runs) {
  spawn(10s);
  tasks.spawn(context.get_executor(), tick());
  run();
  EXPECT_EQ(told, std::vector<std::string>{"Bearer t"});
  EXPECT_GT(ticks, 20);  // blocked: none
  EXPECT_EQ(authorizer->certificate().key, "key");
}

TEST_F(AuthorizerTest, all_who_ask_meanwhile_wait_for_one_run) {
  for (int i = 0; i < 10; ++i) spawn(10s);
  run();
  spawn(10s);
  run();
  EXPECT_EQ(told, std::vector<std::string>(11, "Bearer t"));
  EXPECT_EQ(plugin->runs, 1);
}

TEST_F(AuthorizerTest, who_gives_up_leaves_it_to_the_next) {
  spawn(50ms);
  run();
  EXPECT_EQ(told.back(), "the credential plugin has not finished yet");
  spawn(10s);
  run();
  EXPECT_EQ(told.back(), "Bearer t");
  EXPECT_EQ(plugin->runs, 1);
}

TEST_F(AuthorizerTest, what_failed_is_told_and_tried_again) {
  plugin->fails = true;
  spawn(10s);
  run();
  EXPECT_EQ(told.back(), "the plugin failed");
  plugin->fails = false;
  spawn(10s);
  run();
  EXPECT_EQ(told.back(), "Bearer t");
}

TEST_F(AuthorizerTest, a_rejected_token_is_asked_for_again) {
  spawn(10s);
  run();
  authorizer->rejected();
  spawn(10s);
  run();
  EXPECT_EQ(plugin->runs, 2);
}

TEST_F(AuthorizerTest, its_end_ends_the_plugin) {
  spawn(1ms);
  run();
  const auto begin = net::Clock::now();
  authorizer.reset();
  EXPECT_TRUE(plugin->stopped);
  EXPECT_LT(net::Clock::now() - begin, 250ms);
}

TEST_F(AuthorizerTest, nobody_has_no_header) {
  authorizer = std::make_unique<Authorizer>(context.get_executor(), nullptr);
  spawn(1s);
  run();
  EXPECT_EQ(told, std::vector<std::string>{""});
}

}  // namespace
}  // namespace tpuwh::server::kube::client
