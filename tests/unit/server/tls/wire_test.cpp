#include "server/tls/wire.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <memory>
#include <string>

namespace tpuwh::server::tls {
namespace {

class WireTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends_.data()), 0);
    made_ = make_wire(ends_[0]);
    bio_.reset(made_.bio);
  }
  void TearDown() override {
    for (const int end : ends_) ::close(end);
  }
  void say(const std::string& text) {
    ASSERT_EQ(::send(ends_[1], text.data(), text.size(), 0), static_cast<ssize_t>(text.size()));
  }
  int read(int size) { return BIO_read(bio_.get(), room_.data(), size); }
  int read_turn() {
    int all = 0;
    for (int got = 0; (got = read(16 << 10)) > 0;) all += got;
    return all;
  }

  std::array<int, 2> ends_{-1, -1};
  WireBio made_{};
  std::unique_ptr<BIO, decltype(&BIO_free)> bio_{nullptr, &BIO_free};
  std::string room_ = std::string(64u << 10, '\0');
};

TEST_F(WireTest, reads_what_is_there_and_says_when_there_is_no_more) {
  say("abc");
  EXPECT_EQ(read(100), 3);
  EXPECT_EQ(read(100), -1);
  EXPECT_TRUE(BIO_should_read(bio_.get()));
  EXPECT_FALSE(made_.wire->turn_over) << "the peer has said no more";
}

TEST_F(WireTest, a_turn_ends_though_there_is_more) {
  say(std::string(48u << 10, 'x'));
  EXPECT_EQ(read_turn(), 16'896);
  EXPECT_TRUE(BIO_should_read(bio_.get()));
  EXPECT_TRUE(made_.wire->turn_over);
}

TEST_F(WireTest, turns_are_short_until_there_is_data) {
  say(std::string(48u << 10, 'x'));
  read_turn();
  made_.wire->begin_turn();
  EXPECT_EQ(read_turn(), 2'048);
  EXPECT_EQ(made_.wire->chatter, 16'896u + 2'048u);
  made_.wire->see_data(1);
  made_.wire->begin_turn();
  EXPECT_EQ(read_turn(), 16'896);
}

TEST_F(WireTest, half_a_record_is_no_chatter) {
  say(std::string(10'000, 'x'));
  EXPECT_EQ(read_turn(), 10'000);
  say(std::string(30'000, 'x'));
  made_.wire->begin_turn();
  EXPECT_EQ(read_turn(), 16'896);
  made_.wire->begin_turn();
  EXPECT_EQ(read_turn(), 2'048);
}

TEST_F(WireTest, a_turn_may_be_longer) {
  made_.wire->turn = 40u << 10;
  made_.wire->begin_turn();
  say(std::string(48u << 10, 'x'));
  EXPECT_EQ(read_turn(), 40 << 10);
  made_.wire->begin_turn();
  EXPECT_EQ(read_turn(), 2'048) << "but not without data";
}

TEST_F(WireTest, data_does_not_count_up_to_a_limit) {
  say(std::string(120'000, 'x'));
  for (int turn = 0; turn < 2; ++turn) {
    EXPECT_EQ(read_turn(), 16'896);
    made_.wire->see_data(10'000);
    EXPECT_EQ(made_.wire->chatter, 0u);
    EXPECT_EQ(read_turn(), 10'000);
    made_.wire->see_data(30'000);
    EXPECT_EQ(read_turn(), 22'768) << "10,000 of the 32 KiB were used up before";
    made_.wire->see_data(30'000);
    EXPECT_EQ(read_turn(), 0);
    made_.wire->begin_turn();
  }
}

TEST_F(WireTest, the_end_is_an_end) {
  ::shutdown(ends_[1], SHUT_RDWR);
  EXPECT_EQ(read(100), 0);
  EXPECT_FALSE(BIO_should_retry(bio_.get()));
  EXPECT_EQ(BIO_eof(bio_.get()), 1);
}

TEST_F(WireTest, writes_until_the_socket_is_full) {
  const std::string much(1u << 20, 'x');
  const int sent = BIO_write(bio_.get(), much.data(), static_cast<int>(much.size()));
  EXPECT_GT(sent, 0);
  EXPECT_EQ(BIO_write(bio_.get(), much.data(), static_cast<int>(much.size())), -1);
  EXPECT_TRUE(BIO_should_write(bio_.get()));
}

}  // namespace
}  // namespace tpuwh::server::tls
