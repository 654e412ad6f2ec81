#include "server/serve/https/connections.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <boost/asio/write.hpp>

#include <algorithm>
#include <memory>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace tpuwh::server::https {
namespace {

using namespace std::chrono_literals;

// Our end of a connection on the loopback, with its entry, and the peer's.
class Guest {
 public:
  Guest(boost::asio::io_context& context, Connections& all, const char* from = "127.0.0.1")
      : ours_(context), theirs_(context) {
    net::Acceptor acceptor(context, net::Endpoint(boost::asio::ip::address_v4::loopback(), 0));
    theirs_.open(boost::asio::ip::tcp::v4());
    theirs_.bind({boost::asio::ip::make_address(from), 0});
    theirs_.connect(acceptor.local_endpoint());
    acceptor.accept(ours_);
    entry_ = std::make_unique<Connection>(all, ours_);
    entry_->handshake_done();
  }

  Connection& entry() { return *entry_; }
  void say(std::string_view bytes) { boost::asio::write(theirs_, boost::asio::buffer(bytes)); }

  bool is_closed() {
    char byte;
    return ::recv(theirs_.native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
  }

 private:
  net::Socket ours_, theirs_;
  std::unique_ptr<Connection> entry_;  // leaves before its socket closes
};

class ConnectionsTest : public testing::Test {
 protected:
  using Guests = std::vector<std::unique_ptr<Guest>>;

  Guest guest() { return {context_, all_}; }
  // Returns `count` connections that wait for `what`. Connection number i has waited for the time
  // since(i).
  template <class Since>
  Guests guests(Connections& all, std::size_t count, Waiting what, Since since) {
    Guests made;
    for (std::size_t i = 0; i < count; ++i) {
      made.push_back(std::make_unique<Guest>(context_, all));
      made.back()->entry().wait({.what = what, .since = now_ - since(i), .until = now_ + 1h});
    }
    return made;
  }
  static net::TimePoint in(limits::Duration time) { return net::Clock::now() + time; }

  const net::TimePoint now_ = net::Clock::now();
  boost::asio::io_context context_;
  Load load_{2, 2, 1000};
  Connections all_{load_};
};

TEST_F(ConnectionsTest, who_has_spoken_waits_for_us) {
  Guest heard = guest();
  heard.entry().wait(Waiting::body, 1s);
  heard.say("x");
  all_.sweep(in(limits::between_answers - 1s));
  EXPECT_FALSE(heard.is_closed());
}

// It has spoken, but who waits for room to write reads nothing: "100 Continue" into a full socket
// was excused for ever.
TEST_F(ConnectionsTest, who_has_spoken_and_takes_nothing_is_closed) {
  Guest full = guest();
  full.entry().wait(Waiting::write, 10s);
  full.say("x");
  all_.sweep(in(9s));
  EXPECT_FALSE(full.is_closed());
  all_.sweep(in(11s));
  EXPECT_TRUE(full.is_closed());
}

TEST_F(ConnectionsTest, nothing_excuses_a_connection_without_an_answer) {
  Guest heard = guest(), patient = guest();
  heard.entry().wait(Waiting::header, 10s);
  heard.say("x");
  patient.entry().resume();
  all_.sweep(in(limits::between_answers + 1s));
  EXPECT_TRUE(heard.is_closed());
  EXPECT_TRUE(patient.is_closed());
}

TEST_F(ConnectionsTest, an_answer_begins_that_anew) {
  Guest patient = guest();
  patient.entry().resume();
  std::this_thread::sleep_for(30ms);
  const net::TimePoint latest = in(limits::between_answers);
  patient.entry().begin_answer();
  all_.sweep(latest - 10ms);
  EXPECT_FALSE(patient.is_closed());
}

TEST_F(ConnectionsTest, who_waits_for_our_answer_is_never_closed) {
  Guest patient = guest();
  patient.entry().wait(Waiting::answer, 1s);
  all_.sweep(in(limits::between_answers - 1s));
  all_.make_room(in(1h), 100);
  all_.make_memory(in(1h));
  all_.make_files(in(1h), 100);
  EXPECT_FALSE(patient.is_closed());
}

TEST_F(ConnectionsTest, a_slow_body_makes_room_before_an_idle_peer) {
  Guest idle = guest(), slow = guest();
  idle.entry().wait(Waiting::next_request, 2min);
  slow.entry().wait(Waiting::body, 30s);
  ASSERT_TRUE(load_.full());
  all_.make_room(in(200ms), 1);
  EXPECT_FALSE(slow.is_closed()) << "not yet";
  all_.make_room(in(5s), 1);
  EXPECT_TRUE(slow.is_closed());
  EXPECT_FALSE(idle.is_closed());
}

// At its limit a wait is over, and not before; so it is with patience.
TEST_F(ConnectionsTest, limits_are_to_the_tick) {
  Guest slow = guest();
  const auto tick = net::Clock::duration(1);
  slow.entry().wait({.what = Waiting::body, .since = now_, .until = now_ + 1s});
  all_.sweep(now_ + 1s - tick);
  all_.make_files(now_ + limits::patience_when_full - tick, 1);
  EXPECT_FALSE(slow.is_closed());
  all_.make_files(now_ + limits::patience_when_full, 1);
  EXPECT_TRUE(slow.is_closed());
  Guest other = guest();
  other.entry().wait({.what = Waiting::body, .since = now_, .until = now_ + 1s});
  all_.sweep(now_ + 1s);
  EXPECT_TRUE(other.is_closed());
}

TEST_F(ConnectionsTest, a_peer_that_has_not_begun_or_is_done_makes_room_sooner) {
  const auto tick = net::Clock::duration(1);
  for (const Waiting what : {Waiting::first_request, Waiting::linger}) {
    Guest peer = guest();
    peer.entry().wait({.what = what, .since = now_, .until = now_ + 1h});
    all_.make_files(now_ + limits::patience_with_newcomers - tick, 1);
    EXPECT_FALSE(peer.is_closed());
    all_.make_files(now_ + limits::patience_with_newcomers, 1);
    EXPECT_TRUE(peer.is_closed());
  }
}

// Whatever address they come from: the two idle ones share it, and the other one has its own.
TEST_F(ConnectionsTest, the_idle_peer_whose_review_is_oldest_makes_room) {
  Load load(100, 100, 0);
  Connections all(load);
  Guest lately(context_, all), long_ago(context_, all), elsewhere(context_, all, "127.0.0.2");
  for (auto& [guest, ago] :
       {std::pair(&lately, 1s), std::pair(&long_ago, 3s), std::pair(&elsewhere, 2s)})
    guest->entry().wait({.what = Waiting::next_request, .since = now_ - ago, .until = now_ + 1h});
  all.make_files(now_, 100);
  EXPECT_TRUE(long_ago.is_closed());
  EXPECT_FALSE(elsewhere.is_closed());
  EXPECT_FALSE(lately.is_closed());
}

// Nobody closes more than are waited for, however many are late.
TEST_F(ConnectionsTest, as_many_are_closed_as_callers_wait) {
  Load load(100, 100, 0);
  Connections all(load);
  const Guests idle = guests(all, 32, Waiting::next_request, [](std::size_t) { return 1s; });
  all.make_files(now_, 2);
  EXPECT_EQ(std::ranges::count_if(idle, [](auto& each) { return each->is_closed(); }), 2);
  EXPECT_EQ(all.closed_for_others(), 2u);
}

TEST_F(ConnectionsTest, each_tenth_review_is_a_connections_last_while_callers_wait) {
  Guest reviewer = guest();
  const auto last_of = [&](int reviews) {
    int last = 0;
    for (int i = 1; i <= reviews; ++i)
      if (reviewer.entry().begin_review_answer()) last = i;
    return last;
  };
  EXPECT_EQ(last_of(29), 0) << "nobody waits";
  all_.make_room(net::Clock::now(), 1);
  EXPECT_EQ(last_of(10), 1) << "its thirtieth";
  EXPECT_EQ(all_.closed_for_others(), 1u);
  EXPECT_EQ(last_of(9), 1) << "its fortieth";
}

// The idle one has kept us waiting for long, the others only begin to.
TEST_F(ConnectionsTest, idle_peers_stay_beside_so_many_and_go_beside_fewer) {
  for (const std::size_t missing : {0u, 1u}) {
    Load load(200, 200, 0);
    Connections all(load);
    const Guests begun = guests(all, limits::unfinished_before_idle - missing, Waiting::header,
                                [](std::size_t) { return 0s; });
    Guest idle(context_, all), answered(context_, all);
    idle.entry().wait({.what = Waiting::next_request, .since = now_ - 1h, .until = now_ + 1h});
    answered.entry().wait({.what = Waiting::answer, .since = now_ - 1h, .until = now_ + 1h});
    all.make_files(now_, 1);
    EXPECT_EQ(idle.is_closed(), missing == 1);
    EXPECT_FALSE(answered.is_closed());
  }
}

TEST_F(ConnectionsTest, handshakes_make_room_for_handshakes) {
  Load load(100, 1, 0);
  Connections all(load);
  Guest slow(context_, all), in_handshake(context_, all);
  load.handshakes.force(1);
  slow.entry().wait({.what = Waiting::body, .since = now_ - 1h, .until = now_ + 1h});
  in_handshake.entry().wait({.what = Waiting::handshake, .since = now_ - 1s, .until = now_ + 1h});
  all.make_room(now_, 1);
  EXPECT_FALSE(slow.is_closed());
  EXPECT_TRUE(in_handshake.is_closed());
}

TEST_F(ConnectionsTest, begin_with_a_handshake) {
  Guest begun = guest();
  all_.sweep(in(limits::handshake - 100ms));
  EXPECT_FALSE(begun.is_closed());
  all_.sweep(in(limits::handshake + 100ms));
  EXPECT_TRUE(begun.is_closed());
}

// Of 8 one, of 9 two; those who have kept us waiting longest.
TEST_F(ConnectionsTest, an_eighth_goes_at_a_time) {
  for (const std::size_t count : {1u, 8u, 9u, 16u, 17u}) {
    Load load(100, 100, 0);
    Connections all(load);
    const Guests slow = guests(all, count, Waiting::body,
                               [](std::size_t i) { return 1h + std::chrono::seconds(i); });
    all.make_files(now_, 100);
    const std::size_t gone = (count + 7) / 8;
    for (std::size_t i = 0; i < count; ++i)
      EXPECT_EQ(slow[i]->is_closed(), i >= count - gone) << i << " of " << count;
  }
}

// The other one has kept us waiting for longer.
TEST_F(ConnectionsTest, unread_answers_are_memory) {
  Guest reader = guest(), other = guest();
  reader.entry().wait({.what = Waiting::write, .since = now_, .until = now_ + 30s});
  other.entry().wait({.what = Waiting::write, .since = now_ - 1h, .until = now_ + 30s});
  ASSERT_TRUE(reader.entry().unread().take(1));
  all_.make_memory(in(1s));
  EXPECT_TRUE(reader.is_closed());
  EXPECT_FALSE(other.is_closed());
}

TEST_F(ConnectionsTest, are_counted_while_they_live) {
  {
    Guest one = guest();
    EXPECT_EQ(load_.connections.used(), 1u);
    EXPECT_EQ(load_.handshakes.used(), 0u) << "it is over";
    net::Socket socket(context_);
    socket.open(boost::asio::ip::tcp::v4());
    Connection begun(all_, socket);
    EXPECT_EQ(load_.connections.used(), 2u);
    EXPECT_EQ(load_.handshakes.used(), 1u);
  }
  EXPECT_EQ(load_.connections.used(), 0u);
  EXPECT_EQ(load_.handshakes.used(), 0u);
}

// Of those that will idle from then on, too; and who has not asked at all yet.
TEST_F(ConnectionsTest, draining_shortens_every_wait_for_a_request) {
  Guest first = guest(), next = guest(), soon = guest(), busy = guest();
  busy.entry().wait(Waiting::body, 30s);
  first.entry().wait(Waiting::first_request, 10s);
  soon.entry().wait(Waiting::next_request, 100ms);
  all_.stop_idling();
  next.entry().wait(Waiting::next_request, 2min);
  all_.sweep(in(200ms));
  EXPECT_TRUE(soon.is_closed()) << "its own limit is earlier";
  all_.sweep(in(limits::drain_idle - 100ms));
  EXPECT_FALSE(first.is_closed());
  EXPECT_FALSE(next.is_closed());
  all_.sweep(in(limits::drain_idle + 100ms));
  EXPECT_TRUE(first.is_closed());
  EXPECT_TRUE(next.is_closed());
  EXPECT_FALSE(busy.is_closed());
}

TEST_F(ConnectionsTest, all_are_closed_at_the_end) {
  Guest one = guest(), other = guest();
  one.entry().wait(Waiting::answer, 1s);
  other.entry().wait(Waiting::body, 1h);
  all_.close_all();
  EXPECT_TRUE(one.is_closed());
  EXPECT_TRUE(other.is_closed());
}

TEST_F(ConnectionsTest, memory_comes_from_those_who_hold_some) {
  Guest holder = guest(), other = guest();
  holder.entry().wait(Waiting::body, 30s);
  other.entry().wait(Waiting::body, 30s);
  ASSERT_TRUE(holder.entry().body().take(1000));
  all_.make_memory(in(1s));
  EXPECT_TRUE(holder.is_closed());
  EXPECT_FALSE(other.is_closed());
}

// Below every cap: it is files that are missing.
TEST_F(ConnectionsTest, files_come_from_those_who_keep_us_waiting) {
  Guest silent = guest();
  silent.entry().wait(Waiting::first_request, 10s);
  all_.make_room(in(1s), 100);
  EXPECT_FALSE(silent.is_closed());
  all_.make_files(in(1s), 100);
  EXPECT_TRUE(silent.is_closed());
}

TEST(FilesTest, leave_a_part_to_the_program) {
  EXPECT_EQ(limits::connections_of(1200, 2), limits::connections);
  EXPECT_EQ(limits::plain_connections_of(1200), limits::plain_connections);
  for (const std::size_t files : {64u, 128u, 256u, 1024u}) {
    const std::size_t taken = limits::connections_of(files, 2) +
                              limits::plain_ports * limits::plain_connections_of(files);
    EXPECT_LE(taken + limits::own_files, files);
    EXPECT_GE(taken, files / 8);
  }
}

}  // namespace
}  // namespace tpuwh::server::https
