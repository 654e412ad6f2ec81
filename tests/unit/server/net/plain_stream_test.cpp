// Reading has turns, as with TLS (tests/unit/server/tls/wire_test.cpp).
#include "server/net/plain_stream.hpp"

#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include <cstddef>
#include <optional>
#include <string>

namespace tpuwh::server::net {
namespace {

class PlainStreamTest : public testing::Test {
 protected:
  void SetUp() override {
    const Endpoint any(boost::asio::ip::address_v4::loopback(), 0);
    Acceptor acceptor(context.get_executor(), any);
    peer.connect(acceptor.local_endpoint());
    stream.emplace(acceptor.accept());
  }
  void say(std::size_t bytes) { boost::asio::write(peer, boost::asio::buffer(text, bytes)); }
  // Until there is no more at once.
  std::size_t read_turn() {
    std::size_t all = 0;
    for (std::size_t got = 0; (got = stream->read_now(room)) > 0;) all += got;
    return all;
  }
  // Waits to read; how many others had run when it went on.
  Task<void> wait() {
    error = co_await stream->wait_to_read();
    others_before = others;
    waited = true;
  }
  void begin_to_wait() {
    waited = false;
    context.restart();
    boost::asio::co_spawn(context, wait(), boost::asio::detached);
    boost::asio::post(context, [this] { ++others; });
  }

  boost::asio::io_context context{1};
  Socket peer{context.get_executor()};
  std::optional<PlainStream> stream;
  std::string text = std::string(48u << 10, 'x');
  std::string room = std::string(5'000, '\0');
  error_code error;
  int others = 0, others_before = 0;
  bool waited = false;
};

TEST_F(PlainStreamTest, a_turn_ends_though_there_is_more) {
  say(48u << 10);
  EXPECT_EQ(read_turn(), PlainStream::turn_bytes);
  EXPECT_EQ(read_turn(), 0u);
}

TEST_F(PlainStreamTest, waits_for_others_alone_when_its_turn_is_over) {
  say(48u << 10);
  for (int turn = 1; turn <= 3; ++turn) {
    EXPECT_EQ(read_turn(), PlainStream::turn_bytes);
    begin_to_wait();
    context.poll();
    EXPECT_TRUE(waited);
    EXPECT_FALSE(error);
    EXPECT_EQ(others_before, turn);
  }
}

TEST_F(PlainStreamTest, waits_for_the_peer_when_it_has_read_all) {
  say(100);
  EXPECT_EQ(read_turn(), 100u);
  begin_to_wait();
  context.poll();
  EXPECT_FALSE(waited);
  say(PlainStream::turn_bytes);
  context.run();
  EXPECT_TRUE(waited);
  EXPECT_EQ(others_before, 1);
  EXPECT_EQ(read_turn(), PlainStream::turn_bytes) << "a new one";
}

TEST_F(PlainStreamTest, a_turn_that_its_owner_begins_is_whole) {
  say(20'000);
  EXPECT_EQ(stream->read_now(room), 5'000u);
  stream->begin_turn();
  EXPECT_EQ(read_turn(), 15'000u);
}

TEST_F(PlainStreamTest, the_end_is_told_behind_the_last_byte) {
  say(PlainStream::turn_bytes);
  peer.close();
  EXPECT_EQ(read_turn(), PlainStream::turn_bytes);
  begin_to_wait();
  context.run();
  EXPECT_FALSE(error) << "its turn was over: nothing was tried";
  EXPECT_EQ(read_turn(), 0u);
  begin_to_wait();
  context.run();
  EXPECT_EQ(error, boost::asio::error::eof);
}

}  // namespace
}  // namespace tpuwh::server::net
