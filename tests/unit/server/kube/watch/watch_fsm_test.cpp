// Stories: what happens, and what is done about it.
#include "server/kube/watch/watch_fsm.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <utility>

namespace tpuwh::server::kube::watch {
namespace {

using namespace std::chrono_literals;

constexpr net::TimePoint start_of_time{1h};

client::Status status(unsigned code, std::string reason) {
  client::Status out;
  out.code = code;
  out.reason = std::move(reason);
  return out;
}

decode::WatchEvent event(decode::EventType type, std::string_view version, bool ends = false) {
  decode::WatchEvent out;
  out.type = type;
  out.version = version;
  out.initial_events_end = ends;
  return out;
}

// The random number is always one half: timeouts are 450 s and waits 1.5 times their step.
class WatchStory : public testing::Test {
 protected:
  Tick now() const { return {now_, 0.5}; }
  void after(net::Clock::duration time) { now_ += time; }

  void expect_list(const Step& step, const std::string& token, unsigned limit = 500) {
    const auto* action = std::get_if<ListPage>(&step.action);
    ASSERT_NE(action, nullptr) << step.action.index();
    EXPECT_EQ(*action, (ListPage{.continue_token = token, .limit = limit}));
    EXPECT_EQ(fsm_.state(), WatchState::listing);
  }
  void expect_watch(const Step& step, const std::string& version, bool initial = false) {
    const auto* action = std::get_if<OpenWatch>(&step.action);
    ASSERT_NE(action, nullptr) << step.action.index();
    EXPECT_EQ(*action, (OpenWatch{.version = version, .timeout = 450s, .initial_events = initial}));
    EXPECT_EQ(fsm_.state(), WatchState::opening);
  }
  void expect_wait(const Step& step, net::Clock::duration time) {
    const auto* action = std::get_if<Wait>(&step.action);
    ASSERT_NE(action, nullptr) << step.action.index();
    EXPECT_EQ(action->time, time);
    EXPECT_EQ(fsm_.state(), WatchState::waiting);
  }
  void expect_read_on(const Step& step, Note note) {
    EXPECT_TRUE(std::holds_alternative<ReadOn>(step.action)) << step.action.index();
    EXPECT_EQ(step.note, note);
  }
  Step waited(net::Clock::duration time) {
    after(time);
    return fsm_.waited(now());
  }

  Step after_wait(const Step& step, net::Clock::duration time) {
    expect_wait(step, time);
    return waited(time);
  }
  void expect_relist(const Step& step, unsigned limit = 500) {
    EXPECT_EQ(step.note, Note::begin_relist);
    expect_list(step, "", limit);
  }

  // A server without watch-lists, until its list is asked for.
  Step reach_listing() {
    fsm_.start(now());
    return fsm_.watch_refused(status(422, "Invalid"), now());
  }
  // Watching from version 10, by a list.
  void reach_watching() {
    reach_listing();
    fsm_.page("", "10", now());
    fsm_.watch_opened(now());
    ASSERT_EQ(fsm_.state(), WatchState::watching);
  }
  void reach_receiving() {
    fsm_.start(now());
    fsm_.watch_opened(now());
    ASSERT_EQ(fsm_.state(), WatchState::receiving);
  }

  net::TimePoint now_ = start_of_time;
  WatchFsm fsm_{client::Resource{.group = "", .version = "v1", .plural = "pods", .ns = ""}};
};

// --- the first state -------------------------------------------------------

TEST_F(WatchStory, watch_list_shows_nothing_before_its_bookmark) {
  EXPECT_EQ(fsm_.state(), WatchState::idle);
  Step step = fsm_.start(now());
  EXPECT_EQ(step.note, Note::begin_relist);
  expect_watch(step, "", true);
  expect_read_on(fsm_.watch_opened(now()), Note::none);
  expect_read_on(fsm_.event(event(decode::EventType::added, "9"), now()), Note::apply);
  expect_read_on(fsm_.event(event(decode::EventType::added, "3"), now()), Note::apply);
  EXPECT_EQ(fsm_.version(), "");
  EXPECT_FALSE(fsm_.synced());
  expect_read_on(fsm_.event(event(decode::EventType::bookmark, "12", true), now()),
                 Note::end_relist);
  EXPECT_TRUE(fsm_.synced());
  EXPECT_EQ(fsm_.version(), "12");
  EXPECT_EQ(fsm_.state(), WatchState::watching);
  expect_read_on(fsm_.event(event(decode::EventType::modified, "13"), now()), Note::apply);
  EXPECT_EQ(fsm_.version(), "13");
  after(450s);
  expect_watch(fsm_.stream_ended(now()), "13");
}

TEST_F(WatchStory, a_server_without_watch_lists_is_listed_in_pages) {
  fsm_.start(now());
  expect_relist(fsm_.watch_refused(status(422, "Invalid"), now()));
  Step step = fsm_.page("t1", "10", now());
  EXPECT_EQ(step.note, Note::none);
  expect_list(step, "t1");
  EXPECT_FALSE(fsm_.synced());
  expect_list(fsm_.page("t2", "10", now()), "t2");  // an empty page is a page
  step = fsm_.page("", "10", now());
  EXPECT_EQ(step.note, Note::end_relist);
  expect_watch(step, "10");
  EXPECT_TRUE(fsm_.synced());
  EXPECT_EQ(fsm_.relists(), 0u);
}

TEST_F(WatchStory, a_watch_list_once_refused_is_not_tried_again) {
  reach_watching();
  expect_list(fsm_.undecodable("x", now()), "");
}

TEST_F(WatchStory, an_old_server_that_answers_400_is_listed_too) {
  fsm_.start(now());
  expect_list(fsm_.watch_refused(status(400, "BadRequest"), now()), "");
}

TEST_F(WatchStory, a_server_that_takes_no_notice_and_is_quiet_is_listed) {
  reach_receiving();
  fsm_.event(event(decode::EventType::added, "9"), now());
  expect_relist(after_wait(fsm_.silent(now()), 1200ms));
}

TEST_F(WatchStory, a_server_that_takes_no_notice_and_is_busy_is_listed) {
  reach_receiving();
  after(119s);
  expect_read_on(fsm_.event(event(decode::EventType::bookmark, "9"), now()), Note::moved);
  EXPECT_EQ(fsm_.version(), "");
  after(2s);
  expect_relist(fsm_.event(event(decode::EventType::modified, "10"), now()));
}

TEST_F(WatchStory, a_watch_list_that_breaks_begins_anew) {
  const std::pair<const char*, std::function<Step()>> breaks[] = {
      {"ended", [&] { return fsm_.stream_ended(now()); }},
      {"failed", [&] { return fsm_.connection_failed("reset", now()); }},
      {"undecodable", [&] { return fsm_.undecodable("x", now()); }},
      {"internal", [&] { return fsm_.error_event(status(500, "InternalError"), now()); }},
      {"expired", [&] { return fsm_.error_event(status(410, "Expired"), now()); }},
  };
  for (const auto& [name, happens] : breaks) {
    SCOPED_TRACE(name);
    fsm_ = WatchFsm{client::Resource{.group = "", .version = "v1", .plural = "pods", .ns = ""}};
    reach_receiving();
    fsm_.event(event(decode::EventType::added, "9"), now());
    expect_wait(happens(), 1200ms);
    EXPECT_NE(fsm_.error(), "");
    EXPECT_FALSE(fsm_.synced());
    Step step = waited(1200ms);
    EXPECT_EQ(step.note, Note::begin_relist);
    expect_watch(step, "", true);
  }
}

// --- listing ---------------------------------------------------------------

TEST_F(WatchStory, an_expired_token_begins_with_the_first_page) {
  reach_listing();
  fsm_.page("t1", "10", now());
  expect_relist(fsm_.list_refused(status(410, "Expired"), now()));
  // Once more: the pages are too slow for this server, so all at once.
  fsm_.page("t2", "11", now());
  expect_relist(after_wait(fsm_.list_refused(status(410, "Expired"), now()), 1200ms), 0);
  expect_watch(fsm_.page("", "12", now()), "12");
}

TEST_F(WatchStory, a_busy_server_is_asked_for_the_same_page_when_it_says) {
  reach_listing();
  fsm_.page("t1", "10", now());
  client::Status busy = status(429, "TooManyRequests");
  busy.retry_after = 8s;
  expect_wait(fsm_.list_refused(busy, now()), 9s);
  Step step = waited(9s);
  EXPECT_EQ(step.note, Note::none);  // what came already stays
  expect_list(step, "t1");
  busy.retry_after = 3600s;
  expect_wait(fsm_.list_refused(busy, now()), 67500ms);  // nobody is taken at that word
  waited(60s);
  expect_wait(fsm_.list_refused(status(429, "TooManyRequests"), now()), 1200ms);
}

TEST_F(WatchStory, a_failing_connection_is_tried_with_the_same_page) {
  reach_listing();
  fsm_.page("t1", "10", now());
  expect_wait(fsm_.connection_failed("connection refused", now()), 1200ms);
  EXPECT_EQ(fsm_.error(), "list of pods: connection refused");
  expect_list(waited(1200ms), "t1");
  expect_list(after_wait(fsm_.silent(now()), 2400ms), "t1");
  expect_list(after_wait(fsm_.list_refused(status(503, "ServiceUnavailable"), now()), 4800ms),
              "t1");
  expect_list(after_wait(fsm_.list_refused(status(401, "Unauthorized"), now()), 9600ms), "t1");
}

TEST_F(WatchStory, a_list_that_cannot_be_read_or_is_refused_begins_anew) {
  reach_listing();
  fsm_.page("t1", "10", now());
  expect_wait(fsm_.undecodable("an object larger than 5 bytes", now()), 1200ms);
  EXPECT_EQ(fsm_.error(), "list of pods: an object larger than 5 bytes");
  expect_relist(waited(1200ms));
  fsm_.page("t1", "10", now());
  expect_list(after_wait(fsm_.list_refused(status(400, "BadRequest"), now()), 2400ms), "");
}

TEST_F(WatchStory, a_missing_role_is_said_and_tried_slowly) {
  reach_listing();
  expect_wait(fsm_.list_refused(status(403, "Forbidden"), now()), 33750ms);
  EXPECT_EQ(fsm_.trouble(), Trouble::forbidden);
  EXPECT_NE(fsm_.error().find("RBAC missing: list pods (cluster-wide); add"), std::string::npos);
  expect_list(waited(33750ms), "");
  EXPECT_EQ(fsm_.trouble(), Trouble::forbidden);  // until it went well
  fsm_.page("", "10", now());
  EXPECT_EQ(fsm_.trouble(), Trouble::none);
  EXPECT_EQ(fsm_.error(), "");
}

TEST_F(WatchStory, a_kind_that_is_not_installed_is_tried_slowly) {
  fsm_.start(now());
  expect_wait(fsm_.watch_refused(status(404, "NotFound"), now()), 33750ms);
  EXPECT_EQ(fsm_.trouble(), Trouble::not_served);
  EXPECT_FALSE(fsm_.synced());
  expect_watch(waited(33750ms), "", true);
}

// --- watching --------------------------------------------------------------

TEST_F(WatchStory, events_and_bookmarks_move_the_version) {
  reach_watching();
  expect_read_on(fsm_.event(event(decode::EventType::deleted, "11"), now()), Note::apply);
  EXPECT_EQ(fsm_.version(), "11");
  expect_read_on(fsm_.event(event(decode::EventType::bookmark, "15"), now()), Note::moved);
  EXPECT_EQ(fsm_.version(), "15");
  expect_read_on(fsm_.event(event(decode::EventType::unknown, ""), now()), Note::none);
  EXPECT_EQ(fsm_.version(), "15");
}

TEST_F(WatchStory, an_event_without_a_version_cannot_be_resumed_from) {
  reach_watching();
  expect_relist(fsm_.event(event(decode::EventType::modified, ""), now()));
}

TEST_F(WatchStory, a_clean_end_is_resumed_without_a_list) {
  reach_watching();
  fsm_.event(event(decode::EventType::added, "11"), now());
  after(449s);
  const Step step = fsm_.stream_ended(now());
  EXPECT_EQ(step.note, Note::none);
  expect_watch(step, "11");
  EXPECT_EQ(fsm_.relists(), 0u);
}

TEST_F(WatchStory, a_server_that_goes_down_is_not_called_by_all_at_once) {
  reach_watching();
  after(60s);
  expect_wait(fsm_.stream_ended(now()), 500ms);
  EXPECT_EQ(fsm_.error(), "");
  expect_watch(waited(500ms), "10");
}

TEST_F(WatchStory, a_watch_that_ends_at_once_is_suspicious) {
  reach_watching();
  after(900ms);
  expect_wait(fsm_.stream_ended(now()), 1200ms);
  EXPECT_NE(fsm_.error(), "");
  expect_watch(waited(1200ms), "10");
  fsm_.watch_opened(now());
  expect_wait(fsm_.stream_ended(now()), 2400ms);
}

TEST_F(WatchStory, an_expired_version_is_listed_at_once_and_again_after_a_pause) {
  reach_watching();
  expect_relist(fsm_.error_event(status(410, "Expired"), now()));
  EXPECT_TRUE(fsm_.synced());  // what was known serves on
  expect_watch(fsm_.page("", "20", now()), "20");
  expect_relist(after_wait(fsm_.watch_refused(status(410, "Gone"), now()), 1200ms));
  EXPECT_EQ(fsm_.relists(), 2u);
  expect_watch(fsm_.page("", "30", now()), "30");
  fsm_.watch_opened(now());
  after(3min);
  expect_list(fsm_.error_event(status(410, "Expired"), now()), "");
}

TEST_F(WatchStory, a_busy_server_is_watched_later_from_the_same_version) {
  reach_watching();
  client::Status busy = status(429, "TooManyRequests");
  busy.retry_after = 4s;
  expect_watch(after_wait(fsm_.error_event(busy, now()), 4500ms), "10");
  expect_watch(after_wait(fsm_.watch_refused(status(429, "TooManyRequests"), now()), 1200ms), "10");
}

TEST_F(WatchStory, internal_errors_are_borne_for_half_a_minute) {
  reach_watching();
  expect_watch(after_wait(fsm_.error_event(status(500, "InternalError"), now()), 1200ms), "10");
  expect_watch(after_wait(fsm_.watch_refused(status(503, "ServiceUnavailable"), now()), 2400ms),
               "10");
  after(27s);
  expect_relist(after_wait(fsm_.watch_refused(status(500, "InternalError"), now()), 4800ms));
}

TEST_F(WatchStory, an_event_between_internal_errors_starts_the_clock_anew) {
  reach_watching();
  fsm_.error_event(status(500, "InternalError"), now());
  waited(1200ms);
  fsm_.watch_opened(now());
  fsm_.event(event(decode::EventType::added, "11"), now());
  after(40s);
  fsm_.error_event(status(500, "InternalError"), now());
  expect_watch(waited(2400ms), "11");
}

TEST_F(WatchStory, a_version_that_the_server_does_not_know_yet_is_listed_anew) {
  reach_watching();
  client::Status future = status(504, "Timeout");
  future.retry_after = 1s;
  future.causes.push_back({.reason = "ResourceVersionTooLarge", .message = "", .field = ""});
  expect_list(after_wait(fsm_.watch_refused(future, now()), 1200ms), "");
}

TEST_F(WatchStory, other_errors_in_the_stream_are_a_reason_to_list) {
  reach_watching();
  expect_list(fsm_.error_event(status(0, "Strange"), now()), "");
  EXPECT_EQ(fsm_.error(), "cannot watch pods: 0 Strange");
}

TEST_F(WatchStory, lost_connections_resume_from_the_same_version) {
  reach_watching();
  fsm_.event(event(decode::EventType::added, "11"), now());
  expect_wait(fsm_.connection_failed("connection reset by peer", now()), 1200ms);
  EXPECT_EQ(fsm_.error(), "watch of pods: connection reset by peer");
  expect_watch(waited(1200ms), "11");
  expect_wait(fsm_.connection_failed("connection refused", now()), 2400ms);  // while opening
  expect_watch(waited(2400ms), "11");
  fsm_.watch_opened(now());
  EXPECT_NE(fsm_.error(), "");  // opened is not heard
  expect_watch(after_wait(fsm_.silent(now()), 4800ms), "11");
  fsm_.watch_opened(now());
  fsm_.event(event(decode::EventType::bookmark, "12"), now());
  EXPECT_EQ(fsm_.error(), "");
  EXPECT_EQ(fsm_.relists(), 0u);
}

// After a restore of etcd the server's versions are earlier than ours: a watch from ours is
// answered with nothing until they have come so far. It was opened there again for ever.
TEST_F(WatchStory, a_watch_that_was_silent_twice_begins_with_a_list) {
  reach_listing();
  fsm_.page("", "9000", now());
  fsm_.watch_opened(now());
  fsm_.event(event(decode::EventType::bookmark, "9001"), now());
  after(120s);
  expect_wait(fsm_.silent(now()), 1200ms);  // once: the network, perhaps
  expect_watch(waited(1200ms), "9001");
  fsm_.watch_opened(now());
  after(120s);
  Step step = fsm_.silent(now());
  EXPECT_EQ(fsm_.relists(), 1u);
  EXPECT_EQ(step.note, Note::begin_relist);
  expect_list(step, "");
  EXPECT_NE(fsm_.error().find("stopped sending data twice"), std::string::npos) << fsm_.error();
  step = fsm_.page("", "17", now());  // of the backup
  EXPECT_EQ(step.note, Note::end_relist);
  EXPECT_EQ(fsm_.version(), "17");
  expect_watch(step, "17");
}

// What is heard between two silences is a watch that lives: its server is only slow.
TEST_F(WatchStory, a_watch_that_was_heard_between_two_silences_goes_on) {
  reach_listing();
  fsm_.page("", "10", now());
  for (int i = 0; i < 5; ++i) {
    const std::string version = std::to_string(11 + i);
    fsm_.watch_opened(now());
    fsm_.event(event(decode::EventType::bookmark, version), now());
    after(120s);
    const Step step = fsm_.silent(now());
    ASSERT_TRUE(std::holds_alternative<Wait>(step.action));
    expect_watch(waited(std::get<Wait>(step.action).time), version);
  }
  EXPECT_EQ(fsm_.relists(), 0u);
}

TEST_F(WatchStory, watching_may_be_forbidden_where_listing_is_not) {
  reach_listing();
  fsm_.page("", "10", now());
  expect_wait(fsm_.watch_refused(status(403, "Forbidden"), now()), 33750ms);
  EXPECT_EQ(fsm_.trouble(), Trouble::forbidden);
  EXPECT_NE(fsm_.error().find("RBAC missing: watch pods"), std::string::npos);
  expect_watch(waited(33750ms), "10");
  fsm_.watch_opened(now());
  EXPECT_EQ(fsm_.trouble(), Trouble::none);
}

TEST_F(WatchStory, a_kind_that_is_taken_away_is_listed_anew_when_it_is_back) {
  reach_watching();
  after(450s);
  fsm_.stream_ended(now());
  expect_list(after_wait(fsm_.watch_refused(status(404, "NotFound"), now()), 33750ms), "");
}

TEST_F(WatchStory, an_expired_credential_is_tried_again) {
  reach_watching();
  after(450s);
  fsm_.stream_ended(now());
  expect_watch(after_wait(fsm_.watch_refused(status(401, "Unauthorized"), now()), 1200ms), "10");
}

// --- waiting ---------------------------------------------------------------

TEST(BackoffTest, doubles_up_to_half_a_minute_and_forgets_after_two_good_minutes) {
  Backoff backoff;
  net::TimePoint now = start_of_time;
  for (const auto want : {800ms, 1600ms, 3200ms, 6400ms, 12800ms, 15000ms, 15000ms}) {
    EXPECT_EQ(backoff.next({now, 0}), want);
    now += want;
  }
  EXPECT_LT(backoff.next({now, 0.999}), 30s);
  EXPECT_EQ(backoff.next({now + 30s + 119s, 0}), 15s);
  EXPECT_EQ(backoff.next({now + 30s + 119s + 15s + 121s, 0.5}), 1200ms);
}

}  // namespace
}  // namespace tpuwh::server::kube::watch
