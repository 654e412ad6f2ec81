// The order of leaving, told as stories: event, expected action, event, ...
#include "server/serve/app/drain.hpp"

#include <gtest/gtest.h>

namespace tpuwh::server::app {
namespace {

using Event = Drain::Event;
using Action = Drain::Action;
using State = Drain::State;

TEST(DrainTest, leaves_in_order_when_connections_go) {
  Drain drain;
  EXPECT_EQ(drain.on(Event::signal), Action::announce);
  EXPECT_EQ(drain.on(Event::delay_over), Action::stop_accepting);
  EXPECT_EQ(drain.on(Event::connections_gone), Action::finish);
  EXPECT_EQ(drain.state(), State::done);
}

TEST(DrainTest, cuts_what_is_left_when_time_is_over) {
  Drain drain;
  drain.on(Event::signal);
  drain.on(Event::delay_over);
  EXPECT_EQ(drain.on(Event::time_over), Action::cut);
  EXPECT_EQ(drain.state(), State::done);
}

TEST(DrainTest, second_signal_while_announcing_exits_now) {
  Drain drain;
  drain.on(Event::signal);
  EXPECT_EQ(drain.on(Event::signal), Action::exit_now);
  EXPECT_EQ(drain.state(), State::done);
}

TEST(DrainTest, second_signal_while_finishing_exits_now) {
  Drain drain;
  drain.on(Event::signal);
  drain.on(Event::delay_over);
  EXPECT_EQ(drain.on(Event::signal), Action::exit_now);
}

TEST(DrainTest, no_connection_is_no_reason_to_leave_before_the_port_is_closed) {
  Drain drain;
  EXPECT_EQ(drain.on(Event::connections_gone), Action::none);
  EXPECT_EQ(drain.state(), State::serving);
  drain.on(Event::signal);
  EXPECT_EQ(drain.on(Event::connections_gone), Action::none);
  EXPECT_EQ(drain.state(), State::announcing);
}

TEST(DrainTest, nothing_happens_after_the_end) {
  for (const auto event :
       {Event::signal, Event::delay_over, Event::connections_gone, Event::time_over}) {
    Drain drain;
    drain.on(Event::signal);
    drain.on(Event::delay_over);
    drain.on(Event::connections_gone);
    EXPECT_EQ(drain.on(event), Action::none);
    EXPECT_EQ(drain.state(), State::done);
  }
}

TEST(DrainTest, time_means_nothing_before_a_signal) {
  Drain drain;
  EXPECT_EQ(drain.on(Event::delay_over), Action::none);
  EXPECT_EQ(drain.on(Event::time_over), Action::none);
  EXPECT_EQ(drain.state(), State::serving);
}

}  // namespace
}  // namespace tpuwh::server::app
