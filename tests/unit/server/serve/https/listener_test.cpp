#include "server/serve/https/listener.hpp"

#include "server/limits/limits.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/ip/v6_only.hpp>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace tpuwh::server::https {
namespace {

using namespace std::chrono_literals;

const net::Address loopback{.host = "127.0.0.1", .port = 0};

// At most two connections, and one handshake more than that.
class ListenerTest : public testing::Test {
 protected:
  struct Session {
    explicit Session(net::Socket accepted, Connections& all)
        : socket(std::move(accepted)), entry(all, socket) {
      entry.handshake_done();
    }
    net::Socket socket;
    Connection entry;
  };

  ListenerTest() {
    net::Acceptor acceptor = open_acceptor(context_.get_executor(), loopback);
    endpoint_ = acceptor.local_endpoint();
    listener_ = std::make_unique<Listener>(
        std::move(acceptor), connections_, log_, [this](net::Socket socket) {
          sessions_.push_back(std::make_unique<Session>(std::move(socket), connections_));
        });
    boost::asio::co_spawn(context_, listener_->run(),
                          [this](std::exception_ptr) { ended_ = true; });
  }

  net::Socket& connect() {
    guests_.push_back(std::make_unique<net::Socket>(context_.get_executor()));
    guests_.back()->connect(endpoint_);
    return *guests_.back();
  }
  // What is ready, and no wait for what is not; how many steps that took. Without pauses there
  // would be no end.
  std::size_t turn() {
    context_.restart();
    std::size_t steps = 0;
    while (steps < 1000 && context_.poll_one() > 0) ++steps;
    return steps;
  }
  // Pauses pass, until there are so many sessions.
  void wait_for(std::size_t sessions) {
    for (int i = 0; i < 1000 && sessions_.size() != sessions; ++i) {
      context_.restart();
      context_.run_for(10ms);
    }
    EXPECT_EQ(sessions_.size(), sessions);
  }
  // Its peer has kept us waiting for ever.
  static void let_wait(Session& session) {
    const net::TimePoint now = net::Clock::now();
    session.entry.wait({.what = Waiting::body, .since = now - 1h, .until = now + 1h});
  }
  static bool is_closed(net::Socket& guest) {
    char byte;
    return ::recv(guest.native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
  }

  boost::asio::io_context context_{1};
  log::Log log_{log::LogFormat::text, log::LogLevel::warn};
  Load load_{2, 3, 0};
  Connections connections_{load_};
  net::Endpoint endpoint_;
  std::unique_ptr<Listener> listener_;
  std::vector<std::unique_ptr<net::Socket>> guests_;
  std::vector<std::unique_ptr<Session>> sessions_;
  bool ended_ = false;
};

TEST_F(ListenerTest, starts_a_session_of_each_who_comes) {
  connect();
  connect();
  turn();
  ASSERT_EQ(sessions_.size(), 2u);
  boost::asio::ip::tcp::no_delay at_once;
  sessions_[0]->socket.get_option(at_once);
  EXPECT_TRUE(at_once.value());
  EXPECT_FALSE(ended_);
}

TEST_F(ListenerTest, lets_others_wait_while_it_is_full) {
  testing::internal::CaptureStderr();
  for (int i = 0; i < 3; ++i) connect();
  EXPECT_LT(turn(), 100u) << "without a pause";
  EXPECT_EQ(sessions_.size(), 2u);
  sessions_.pop_back();
  wait_for(2);
  connect();
  turn();
  log_.flush();
  const std::string said = testing::internal::GetCapturedStderr();
  const auto line = said.find("cannot accept");
  ASSERT_NE(line, std::string::npos);
  EXPECT_EQ(said.find("cannot accept", line + 1), std::string::npos) << "once in a while";
  EXPECT_NE(said.find("connections=2 handshakes=0"), std::string::npos) << said;
}

// While nobody wants to come in, nobody has to go.
TEST_F(ListenerTest, makes_room_for_those_who_are_there) {
  net::Socket& slow = connect();
  connect();
  turn();
  ASSERT_EQ(sessions_.size(), 2u);
  let_wait(*sessions_[0]);
  sessions_[1]->entry.resume();
  turn();
  EXPECT_FALSE(is_closed(slow));
  connect();
  turn();
  EXPECT_TRUE(is_closed(slow));
  sessions_.erase(sessions_.begin());
  wait_for(2);
}

TEST_F(ListenerTest, makes_room_where_handshakes_are_all_taken) {
  load_.handshakes.force(3);
  connect();
  turn();
  EXPECT_EQ(sessions_.size(), 0u);
  load_.handshakes.give_back(1);
  wait_for(1);
}

TEST_F(ListenerTest, takes_in_who_has_connected_before_it_stops) {
  turn();
  connect();
  listener_->stop();
  EXPECT_EQ(sessions_.size(), 1u);
  turn();
  EXPECT_TRUE(ended_);
  net::Socket late(context_.get_executor());
  net::error_code error;
  late.connect(endpoint_, error);
  EXPECT_EQ(error, boost::asio::error::connection_refused);
}

TEST_F(ListenerTest, takes_in_no_more_than_it_has_room_for_when_it_stops) {
  for (int i = 0; i < 4; ++i) connect();
  listener_->stop();
  EXPECT_EQ(sessions_.size(), 2u);
}

// No file is left for one who is there; and who keeps us waiting gives us his.
TEST_F(ListenerTest, makes_room_where_files_ran_out) {
  net::Socket& slow = connect();
  turn();
  ASSERT_EQ(sessions_.size(), 1u);
  let_wait(*sessions_[0]);
  connect();
  rlimit before{};
  ::getrlimit(RLIMIT_NOFILE, &before);
  const int next = ::dup(0);
  ::close(next);
  rlimit none = before;
  none.rlim_cur = static_cast<rlim_t>(next);
  testing::internal::CaptureStderr();
  ::setrlimit(RLIMIT_NOFILE, &none);
  const std::size_t steps = turn();
  const bool closed = is_closed(slow);
  ::setrlimit(RLIMIT_NOFILE, &before);
  log_.flush();
  EXPECT_NE(testing::internal::GetCapturedStderr().find("cannot accept"), std::string::npos);
  EXPECT_LT(steps, 100u) << "without a pause";
  EXPECT_TRUE(closed);
  wait_for(2);
}

TEST(OpenAcceptor, is_for_every_address_without_a_host) {
  boost::asio::io_context context;
  const auto acceptor = open_acceptor(context.get_executor(), {.host = "", .port = 0});
  const net::Endpoint all = acceptor.local_endpoint();
  EXPECT_TRUE(all.address().is_unspecified());
  net::Socket guest(context.get_executor());
  net::error_code error;
  guest.connect({boost::asio::ip::address_v4::loopback(), all.port()}, error);
  EXPECT_FALSE(error) << error.message();
}

TEST(ShareAcceptor, gives_another_event_loop_the_same_queue) {
  boost::asio::io_context context, other_context;
  auto one = open_acceptor(context.get_executor(), loopback);
  auto other = share_acceptor(other_context.get_executor(), one);
  EXPECT_EQ(other.local_endpoint(), one.local_endpoint());
  net::Acceptor::reuse_address again;  // connections that have ended do not hold the port
  one.get_option(again);
  EXPECT_TRUE(again.value());
  net::Socket guest(context.get_executor());
  guest.connect(one.local_endpoint());
  one.close();
  EXPECT_TRUE(other.accept().is_open()) << "closed by one loop, and the other goes on";
}

// IPv4 alone is for a machine without IPv6, and not for one where somebody else has the port.
TEST(OpenAcceptor, is_for_ipv4_alone_where_there_is_no_ipv6) {
  boost::asio::io_context context;
  net::Acceptor other(context.get_executor());
  net::error_code error;
  other.open(boost::asio::ip::tcp::v6(), error);
  if (!error) other.set_option(boost::asio::ip::v6_only(true), error);
  if (!error) other.bind({boost::asio::ip::tcp::v6(), 0}, error);
  if (!error) other.listen(1, error);
  const auto open = [&](std::uint16_t port) {
    return open_acceptor(context.get_executor(), {.host = "", .port = port}).local_endpoint();
  };
  if (error) {
    EXPECT_TRUE(open(0).address().is_v4());
  } else {
    EXPECT_THROW(open(other.local_endpoint().port()), std::runtime_error);
  }
}

TEST(OpenAcceptor, says_what_it_cannot_do) {
  boost::asio::io_context context;
  try {
    open_acceptor(context.get_executor(), {.host = "203.0.113.1", .port = 1});
    FAIL() << "an address of documentation";
  } catch (const std::runtime_error& failure) {
    EXPECT_STREQ(failure.what(), "cannot listen on 203.0.113.1:1: Cannot assign requested address");
  }
}

TEST(EndpointText, has_brackets_around_ipv6_alone) {
  using boost::asio::ip::make_address;
  EXPECT_EQ(to_text({make_address("127.0.0.1"), 8443}), "127.0.0.1:8443");
  EXPECT_EQ(to_text({make_address("::"), 8443}), "[::]:8443");
}

}  // namespace
}  // namespace tpuwh::server::https
