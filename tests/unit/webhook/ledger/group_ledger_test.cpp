// Each test makes events happen, and expects the calls that the ledger then makes.
#include "webhook/ledger/group_ledger.hpp"
#include "webhook/ledger/place_plan.hpp"
#include "webhook/ledger/token.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <ctime>
#include <set>
#include <string>

namespace tpuwh::webhook::ledger {
namespace {

using namespace std::chrono_literals;
using Kind = GroupLedger::Call::Kind;
using OutcomeKind = GroupLedger::Outcome::Kind;

// Returns the same token for the same number.
std::string made_up_token(std::uint64_t number) {
  return "0-0-" + std::to_string(1'000'000'000'000'000 + number);
}

class GroupLedgerStory : public testing::Test {
 protected:
  GroupLedger::Ticket ask(const std::string& token = {}, bool dry_run = false) {
    ++ticket_;
    ledger.ask(ticket_,
               {.size = {4, 0, 8},
                .review_uid = "review-" + std::to_string(ticket_),
                .token = token,
                .dry_run = dry_run,
                .group = "worker group g of RayCluster c"},
               now);
    return ticket_;
  }
  GroupLedger::Call next() { return ledger.next({pods, now}, now); }
  void done(OutcomeKind kind, LedgerRecord record = {}, GroupPods listed = {}) {
    ledger.done({.kind = kind,
                 .version = std::to_string(++version_),
                 .record = std::move(record),
                 .pods = std::move(listed),
                 .why = kind == OutcomeKind::failed ? "500 Internal Server Error" : ""},
                now);
  }
  // Takes the ledger's next call, expects that the call is of this kind, and tells the ledger the
  // outcome of the call.
  void step(Kind kind, OutcomeKind outcome) {
    EXPECT_EQ(next().kind, kind);
    done(outcome);
  }
  // Makes the calls that the ledger needs for a new group.
  void begin_group() {
    step(Kind::read, OutcomeKind::absent);
    step(Kind::list, OutcomeKind::ok);
  }
  // One member, whose Pod the watch has shown.
  std::string member() {
    ask();
    if (!begun_) begin_group();
    begun_ = true;
    next();
    done(OutcomeKind::ok);
    const std::string token = ledger.take_answers().at(0).second.token;
    pods["uid-" + token] = {.token = token, .place = {}, .leaving = false};
    next();
    return token;
  }

  // Of the record that was read or written last.
  std::string version() const { return std::to_string(version_); }

  GroupLedger ledger;
  GroupPods pods;
  Moment now = 1000s;

 private:
  GroupLedger::Ticket ticket_ = 0;
  int version_ = 0;
  bool begun_ = false;
};

TEST_F(GroupLedgerStory, questions_at_one_time_share_a_write) {
  for (int i = 0; i < 3; ++i) ask();
  begin_group();
  const auto call = next();
  EXPECT_EQ(call.kind, Kind::create);
  EXPECT_EQ(call.record.entries.size(), 3u);
  EXPECT_TRUE(ledger.take_answers().empty());  // not before it is written
  done(OutcomeKind::ok);
  const auto answers = ledger.take_answers();
  ASSERT_EQ(answers.size(), 3u);
  EXPECT_EQ(answers[2].second.place, (topology::Place{0, 2}));
  EXPECT_EQ(next().kind, Kind::none);
}

TEST_F(GroupLedgerStory, one_write_for_each_of_those_that_come_one_by_one) {
  member();
  for (std::uint32_t host = 1; host < 8; ++host) {
    ask();
    step(Kind::update, OutcomeKind::ok);
    EXPECT_EQ(ledger.take_answers().at(0).second.place, (topology::Place{host / 4, host % 4}));
    EXPECT_EQ(next().kind, Kind::none);
  }
}

TEST_F(GroupLedgerStory, a_lost_race_is_read_again) {
  member();
  ask();
  step(Kind::update, OutcomeKind::conflict);
  EXPECT_EQ(next().kind, Kind::none);  // a short pause first
  now += 20ms;
  EXPECT_EQ(next().kind, Kind::read);
  LedgerRecord others{
      .hosts_per_slice = 4, .rebuilding = false, .entries = ledger.record().entries};
  others.entries.push_back({{0, 1}, "0-1-00000000000000aa"});
  done(OutcomeKind::ok, others);
  step(Kind::update, OutcomeKind::ok);
  EXPECT_EQ(ledger.take_answers().at(0).second.place, (topology::Place{0, 2}));
}

// The write was carried out, and its answer lost.
TEST_F(GroupLedgerStory, a_write_of_unknown_outcome_is_read_and_not_repeated) {
  member();
  ask();
  const auto write = next();
  done(OutcomeKind::failed);
  EXPECT_EQ(next().kind, Kind::none);  // a pause first
  now += 1s;
  EXPECT_EQ(next().kind, Kind::read);
  done(OutcomeKind::ok, write.record);
  EXPECT_EQ(next().kind, Kind::none);
  EXPECT_EQ(ledger.take_answers().at(0).second.token, write.record.entries.back().token);
}

TEST_F(GroupLedgerStory, an_unreachable_ledger_says_try_again) {
  ask();
  step(Kind::read, OutcomeKind::failed);
  now += 6s;
  next();
  const auto answers = ledger.take_answers();
  ASSERT_EQ(answers.size(), 1u);
  EXPECT_EQ(answers[0].second.kind, PlaceAnswer::Kind::try_again);
  EXPECT_EQ(answers[0].second.why,
            "the ledger of worker group g of RayCluster c cannot be read or written: "
            "500 Internal Server Error");
}

// A rule is missing: whoever asks is told at once, and the next one finds out whether it is
// there.
TEST_F(GroupLedgerStory, a_lasting_failure_is_told_at_once_and_tried_again) {
  ask();
  EXPECT_EQ(next().kind, Kind::read);
  ledger.done({.kind = OutcomeKind::failed, .why = "403 Forbidden", .lasting = true}, now);
  const auto answers = ledger.take_answers();
  ASSERT_EQ(answers.size(), 1u);
  EXPECT_FALSE(answers[0].second.retry_now);
  now += 1s;
  ask();
  EXPECT_EQ(next().kind, Kind::read);
}

TEST_F(GroupLedgerStory, a_full_group_is_read_once_more_and_then_refuses) {
  for (int i = 0; i < 8; ++i) member();
  now += 1s;
  ask();
  EXPECT_EQ(next().kind, Kind::read);
  done(OutcomeKind::ok, ledger.record());
  EXPECT_EQ(next().kind, Kind::none);
  EXPECT_EQ(ledger.take_answers().at(0).second.why,
            "all 8 places of worker group g of RayCluster c are taken, in slices of 4 hosts");
}

// A list of all records says as much as reading this one, also where it is as it was.
TEST_F(GroupLedgerStory, a_full_group_that_a_list_shows_is_not_read_once_more) {
  for (int i = 0; i < 8; ++i) member();
  ask();
  now += 1s;
  ledger.refresh(version(), ledger.record(), now, now);
  EXPECT_EQ(next().kind, Kind::none);
  EXPECT_EQ(ledger.take_answers().at(0).second.why,
            "all 8 places of worker group g of RayCluster c are taken, in slices of 4 hosts");
}

// Another replica gave it, to a Pod of whose end this one has heard before it read the record.
TEST_F(GroupLedgerStory, an_event_frees_an_entry_that_is_read_later) {
  member();
  const std::string token = "0-1-00000000000000aa";
  ledger.pod_gone(token, now);
  LedgerRecord others = ledger.record();
  others.entries.push_back({{0, 1}, token});
  now += 1s;
  ledger.refresh("another", others, now, now);
  const auto call = next();
  EXPECT_EQ(call.kind, Kind::update);
  EXPECT_EQ(call.version, "another");
  EXPECT_EQ(call.record.find(token), nullptr);
  EXPECT_EQ(call.record.entries.size(), 1u);
}

TEST_F(GroupLedgerStory, an_event_frees_a_place_with_the_next_write) {
  member();
  const std::string second = member();
  pods.erase("uid-" + second);
  ledger.pod_gone(second, now + 1s);
  EXPECT_EQ(next().kind, Kind::none);  // not yet by itself
  ask();
  const auto call = next();
  EXPECT_EQ(call.kind, Kind::update);
  EXPECT_EQ(call.record.find(second), nullptr);
  done(OutcomeKind::ok);
  EXPECT_EQ(ledger.take_answers().at(0).second.place, (topology::Place{0, 1}));
}

TEST_F(GroupLedgerStory, the_last_one_out_deletes_the_object) {
  const std::string only = member();
  pods.clear();
  ledger.pod_gone(only, now + 1s);
  now += 1s;
  const auto call = next();
  EXPECT_EQ(call.kind, Kind::remove);
  EXPECT_FALSE(call.version.empty());
  done(OutcomeKind::ok);
  EXPECT_EQ(next().kind, Kind::none);
  EXPECT_TRUE(ledger.idle(now));
}

TEST_F(GroupLedgerStory, what_a_relist_lacks_is_asked_for_by_quorum) {
  member();
  const std::string lost = member();
  const GroupPods all = pods;
  pods.erase("uid-" + lost);
  EXPECT_EQ(next().kind, Kind::list);
  done(OutcomeKind::ok, {}, all);  // it is there: the re-list was old
  EXPECT_EQ(next().kind, Kind::none);
  EXPECT_NE(ledger.record().find(lost), nullptr);
}

TEST_F(GroupLedgerStory, an_unseen_pod_has_two_minutes) {
  member();
  ask();
  next();
  done(OutcomeKind::ok);
  const std::string unseen = ledger.take_answers().at(0).second.token;
  now += 119s;
  EXPECT_EQ(next().kind, Kind::none);
  now += 1s;
  EXPECT_EQ(next().kind, Kind::list);
  done(OutcomeKind::ok, {}, pods);
  const auto call = next();
  EXPECT_EQ(call.kind, Kind::update);
  EXPECT_EQ(call.record.find(unseen), nullptr);
}

TEST_F(GroupLedgerStory, a_reinvoked_pod_keeps_its_place_under_a_new_token) {
  member();
  ask();
  next();
  done(OutcomeKind::ok);
  const std::string first = ledger.take_answers().at(0).second.token;
  ask(first);
  EXPECT_EQ(next().kind, Kind::list);
  done(OutcomeKind::ok, {}, pods);
  step(Kind::update, OutcomeKind::ok);
  const auto answer = ledger.take_answers().at(0).second;
  EXPECT_EQ(answer.place, (topology::Place{0, 1}));
  EXPECT_NE(answer.token, first);
  EXPECT_EQ(ledger.record().find(first), nullptr);
}

TEST_F(GroupLedgerStory, a_copy_of_a_living_pod_gets_a_place_of_its_own) {
  const std::string living = member();
  ask(living);
  step(Kind::update, OutcomeKind::ok);
  EXPECT_EQ(ledger.take_answers().at(0).second.place, (topology::Place{0, 1}));
}

TEST_F(GroupLedgerStory, a_dry_run_writes_nothing) {
  ask({}, true);
  begin_group();
  EXPECT_EQ(next().kind, Kind::none);
  EXPECT_EQ(ledger.take_answers().at(0).second.place, (topology::Place{0, 0}));
}

TEST_F(GroupLedgerStory, a_lost_record_is_made_anew_and_gives_nothing_for_a_while) {
  const std::string living = member();
  ask();
  step(Kind::update, OutcomeKind::absent);
  now += 20ms;
  step(Kind::read, OutcomeKind::absent);
  EXPECT_EQ(next().kind, Kind::list);
  done(OutcomeKind::ok, {}, pods);
  const auto anew = next();
  EXPECT_EQ(anew.kind, Kind::create);
  EXPECT_TRUE(anew.record.rebuilding);
  EXPECT_NE(anew.record.find(living), nullptr);
  done(OutcomeKind::ok);
  EXPECT_EQ(next().kind, Kind::none);
  EXPECT_EQ(ledger.take_answers().at(0).second.kind, PlaceAnswer::Kind::try_again);
  EXPECT_EQ(next().kind, Kind::none);
  EXPECT_TRUE(ledger.take_answers().empty()) << "told once";
  now += 70s;
  EXPECT_EQ(next().kind, Kind::list);
  done(OutcomeKind::ok, {}, pods);
  const auto whole = next();
  EXPECT_EQ(whole.kind, Kind::update);
  EXPECT_FALSE(whole.record.rebuilding);
}

TEST_F(GroupLedgerStory, another_size_waits_until_the_old_members_are_gone) {
  member();
  ledger.ask(99, {.size = {2, 0, 8}, .review_uid = "u", .token = {}, .group = "group g"}, now);
  EXPECT_EQ(next().kind, Kind::none);
  EXPECT_EQ(
      ledger.take_answers().at(0).second.why,
      "group g still has members of slices of 4 hosts, but this Pod is of a slice of 2 hosts; "
      "it waits until they are deleted");
}

// How often a call is made in so long, where each is done with at once and in this way.
struct Tries {
  int calls = 0, writes = 0;
};

TEST_F(GroupLedgerStory, a_record_that_is_never_as_it_was_read_costs_few_calls) {
  member();
  const LedgerRecord record = ledger.record();
  ask();
  Tries tries;
  for (const Moment end = now + times::patience; now < end; now += 1ms) {
    const auto call = next();
    if (call.kind == Kind::none) continue;
    ++tries.calls;
    done(call.kind == Kind::read ? OutcomeKind::ok : OutcomeKind::conflict, record);
  }
  EXPECT_GE(tries.calls, 12);  // 10 ms, 20 ms, … then every 2 s
  EXPECT_LE(tries.calls, 20);  // it was 354 before a conflict had a pause
}

TEST_F(GroupLedgerStory, a_question_has_some_tries_at_a_ledger_that_fails) {
  ask();
  Tries tries;
  for (const Moment end = now + times::patience; now < end; now += 1ms) {
    if (next().kind == Kind::none) continue;
    ++tries.calls;
    done(OutcomeKind::failed);
  }
  EXPECT_GE(tries.calls, 3);
  EXPECT_LE(tries.calls, 4);
}

TEST_F(GroupLedgerStory, what_nobody_asks_for_is_tried_less_and_less) {
  const std::string only = member();
  pods.clear();
  ledger.pod_gone(only, now);
  Tries tries;
  for (const Moment end = now + 10min; now < end; now += 100ms) {
    if (next().kind == Kind::none) continue;
    ++tries.calls;
    done(OutcomeKind::failed);
  }
  EXPECT_GE(tries.calls, 20);  // every half minute at last
  EXPECT_LE(tries.calls, 30);
  ask();  // whoever asks does not wait for that
  now += 2500ms;
  EXPECT_NE(next().kind, Kind::none);
}

TEST_F(GroupLedgerStory, each_failure_doubles_the_pause_up_to_the_longest) {
  ledger.pod_gone("0-0-00000000000000aa", now);
  std::set<std::int64_t> random;  // parts of a quarter, in 256ths
  for (const Moment least : {500ms, 1000ms, 2000ms, 4000ms, 8000ms, 16000ms, 30000ms, 30000ms}) {
    ASSERT_EQ(next().kind, Kind::read) << least.count();
    done(OutcomeKind::failed);
    const Moment pause = ledger.pause_left(now), quarter = std::min<Moment>(least, 2s) / 4;
    EXPECT_GE(pause, least);
    EXPECT_LT(pause, least + quarter);
    random.insert((pause - least) * 256 / quarter);
    now += pause;
  }
  EXPECT_GT(random.size(), 2u);
}

TEST_F(GroupLedgerStory, a_place_to_be_freed_wants_the_record_where_it_is_not_known) {
  EXPECT_FALSE(ledger.wants_record());
  ledger.pod_gone("0-0-00000000000000aa", now);
  EXPECT_TRUE(ledger.wants_record());
  EXPECT_EQ(next().kind, Kind::read);
  EXPECT_FALSE(ledger.wants_record()) << "under way";
  done(OutcomeKind::failed);
  EXPECT_TRUE(ledger.wants_record());
  ask();
  EXPECT_FALSE(ledger.wants_record()) << "somebody waits, and reads it at once";
  now += 1s;
  step(Kind::read, OutcomeKind::absent);
  EXPECT_FALSE(ledger.wants_record()) << "known";
}

// By a reading as late as their time, and by no earlier one.
TEST_F(GroupLedgerStory, a_stranger_is_forgotten_by_a_record_read_at_its_time) {
  ledger.pod_gone("0-0-00000000000000aa", now);
  step(Kind::read, OutcomeKind::absent);
  EXPECT_EQ(next().kind, Kind::none);
  EXPECT_TRUE(ledger.idle(now));
  ledger.pod_gone("0-0-00000000000000bb", now + 1s);
  now += 1s;
  EXPECT_EQ(next().kind, Kind::none);
  EXPECT_FALSE(ledger.idle(now));
  ledger.missing(now);
  EXPECT_EQ(next().kind, Kind::none);
  EXPECT_TRUE(ledger.idle(now));
}

// Of a record that somebody deleted: its Pod may come for two minutes, unless it is gone already.
TEST_F(GroupLedgerStory, a_pod_that_is_gone_does_not_come) {
  ask();
  begin_group();
  step(Kind::create, OutcomeKind::ok);
  const std::string token = ledger.take_answers().at(0).second.token;
  now += 1s;
  ledger.missing(now);
  EXPECT_EQ(next().kind, Kind::none);
  EXPECT_FALSE(ledger.idle(now));
  ledger.pod_gone(token, now);
  EXPECT_EQ(next().kind, Kind::none);
  EXPECT_TRUE(ledger.idle(now));
}

TEST(GroupLedgerStrangers, are_remembered_up_to_their_number) {
  const auto call_after = [](std::size_t strangers) {
    constexpr Moment now = 1000s;
    const GroupPods none;
    GroupLedger ledger;
    for (std::uint64_t i = 0; i < strangers; ++i) ledger.pod_gone(made_up_token(i), now);
    const std::string real = "0-1-00000000000000aa";
    ledger.pod_gone(real, now);
    EXPECT_EQ(ledger.next({none, now}, now).kind, Kind::read);
    ledger.done(
        {.kind = OutcomeKind::ok,
         .version = "1",
         .record = {.hosts_per_slice = 4, .rebuilding = false, .entries = {{{0, 1}, real}}}},
        now);
    return ledger.next({none, now}, now).kind;
  };
  EXPECT_EQ(call_after(GroupLedger::max_strangers - 1), Kind::remove);
  EXPECT_EQ(call_after(GroupLedger::max_strangers), Kind::none);
}

TEST_F(GroupLedgerStory, a_write_that_succeeds_forgets_the_pauses) {
  member();
  for (int round = 0; round < 5; ++round) {
    ask();
    EXPECT_EQ(next().kind, Kind::update);
    const LedgerRecord record = ledger.record();
    done(OutcomeKind::conflict);
    EXPECT_LE(ledger.pause_left(now), 13ms) << round;
    now += 13ms;
    EXPECT_EQ(next().kind, Kind::read);
    done(OutcomeKind::ok, record);
    step(Kind::update, OutcomeKind::ok);
    EXPECT_EQ(ledger.pause_left(now), 0ns);
  }
}

TEST_F(GroupLedgerStory, nothing_left_to_do_forgets_the_pauses) {
  ask();
  for (const Moment end = now + times::patience; now < end; now += 100ms)
    if (next().kind != Kind::none) done(OutcomeKind::failed);
  EXPECT_EQ(next().kind, Kind::none);
  ledger.take_answers();
  ask();
  step(Kind::read, OutcomeKind::failed);
  EXPECT_LE(ledger.pause_left(now), times::pause * 5 / 4);
}

// A list of all records is as good as a reading of this one, also of the version that was known.
TEST_F(GroupLedgerStory, a_list_tells_what_a_failed_write_left) {
  member();
  const LedgerRecord record = ledger.record();
  ask();
  const auto call = next();
  EXPECT_EQ(call.kind, Kind::update);
  done(OutcomeKind::failed);
  now += 4s;
  ledger.refresh(call.version, record, now, now);
  EXPECT_EQ(next().kind, Kind::update);
}

// Those that nobody gave are forgotten once a record that was read after their time lacks them.
TEST_F(GroupLedgerStory, strangers_make_room_for_later_ones) {
  member();
  for (std::uint64_t i = 0; i < 5000; ++i) ledger.pod_gone(made_up_token(i), now + 1s);
  now += 5s;
  LedgerRecord theirs = ledger.record();
  ledger.refresh("listed", theirs, now, now);
  EXPECT_EQ(next().kind, Kind::none);
  const std::string strange = "0-1-00000000000000aa";
  ledger.pod_gone(strange, now + 1s);
  now += 5s;
  theirs.entries.push_back({{0, 1}, strange});
  ledger.refresh("later", theirs, now, now);
  const auto call = next();
  EXPECT_EQ(call.kind, Kind::update);
  EXPECT_EQ(call.record.find(strange), nullptr);
}

// Two replicas that lost to each other are not to come back at the same time.
TEST(GroupLedgerPauses, differ_by_salt) {
  std::set<Moment> pauses;
  for (std::uint32_t salt = 0; salt < 2000; ++salt) {
    GroupLedger ledger(salt);
    ledger.ask(1, {.size = {4, 0, 8}, .review_uid = "u", .token = {}, .group = "g"}, 1000s);
    const GroupPods none;
    EXPECT_EQ(ledger.next({none, 1000s}, 1000s).kind, Kind::read);
    ledger.done({.kind = OutcomeKind::failed, .why = "500"}, 1000s);
    pauses.insert(ledger.pause_left(1000s));
    EXPECT_GE(ledger.pause_left(1000s), times::pause);
    EXPECT_LE(ledger.pause_left(1000s), times::pause * 5 / 4);
  }
  // From none to all but one of 256 parts of a quarter more.
  EXPECT_EQ(*pauses.begin(), times::pause);
  EXPECT_EQ(*pauses.rbegin(), times::pause + times::pause / 4 * 255 / 256);
  EXPECT_EQ(pauses.size(), 256u);
}

// Of a client that had no turn for it: what is known remains known.
TEST_F(GroupLedgerStory, a_write_that_was_not_sent_is_repeated_without_reading) {
  member();
  ask();
  EXPECT_EQ(next().kind, Kind::update);
  ledger.done({.kind = OutcomeKind::failed, .why = "no turn in time", .unsent = true}, now);
  now += 1s;
  step(Kind::update, OutcomeKind::ok);
  EXPECT_EQ(ledger.take_answers().at(0).second.place, (topology::Place{0, 1}));
}

// Whoever asks is told at once, and what asks next has its chance without a pause.
TEST_F(GroupLedgerStory, what_had_no_turn_is_refused_at_once) {
  member();
  ask();
  EXPECT_EQ(next().kind, Kind::update);
  ledger.done({.kind = OutcomeKind::failed, .why = "none", .unsent = true, .no_turn = true}, now);
  const auto answers = ledger.take_answers();
  ASSERT_EQ(answers.size(), 1u);
  EXPECT_EQ(answers[0].second.kind, PlaceAnswer::Kind::try_again);
  EXPECT_TRUE(answers[0].second.retry_now);
  EXPECT_FALSE(ledger.is_asked());
  ask();
  EXPECT_EQ(next().kind, Kind::update);
}

// Anybody may create a Pod with any token, and delete it.
TEST_F(GroupLedgerStory, a_token_that_nobody_gave_costs_nothing) {
  member();
  for (std::uint64_t i = 0; i < 5000; ++i) ledger.pod_gone(made_up_token(i), now);
  now += 10s;
  EXPECT_EQ(next().kind, Kind::none);
  EXPECT_EQ(next().kind, Kind::none);
  EXPECT_EQ(ledger.record().entries.size(), 1u);
}

TEST_F(GroupLedgerStory, made_up_tokens_do_not_keep_a_real_one_from_being_freed) {
  member();
  const std::string second = member();
  for (std::uint64_t i = 0; i < 5000; ++i) ledger.pod_gone(made_up_token(i), now);
  pods.erase("uid-" + second);
  ledger.pod_gone(second, now);
  const auto call = next();
  EXPECT_EQ(call.kind, Kind::update);
  EXPECT_EQ(call.record.find(second), nullptr);
}

// Given by another replica a moment ago: the event came before we knew of the entry.
TEST_F(GroupLedgerStory, an_entry_that_a_list_shows_later_is_freed_by_the_earlier_event) {
  member();
  const std::string strange = "0-1-00000000000000aa";
  ledger.pod_gone(strange, now + 1s);
  now += 5s;
  EXPECT_EQ(next().kind, Kind::none);
  LedgerRecord theirs = ledger.record();
  theirs.entries.push_back({{0, 1}, strange});
  ledger.refresh("listed", theirs, now, now);
  const auto call = next();
  EXPECT_EQ(call.kind, Kind::update);
  EXPECT_EQ(call.version, "listed");
  EXPECT_EQ(call.record.find(strange), nullptr);
}

TEST_F(GroupLedgerStory, a_list_that_was_begun_before_our_last_call_is_old) {
  member();
  const Moment begun = now - 1s;
  const LedgerRecord before = ledger.record();
  ask();
  next();
  done(OutcomeKind::ok);
  ledger.refresh("listed", before, begun, now);
  EXPECT_EQ(ledger.record().entries.size(), 2u);
  ledger.missing(begun);
  ask();
  EXPECT_EQ(next().kind, Kind::update);  // not a create: the record is there
}

TEST_F(GroupLedgerStory, what_nobody_asks_for_waits_for_a_turn) {
  const std::string only = member();
  pods.clear();
  ledger.pod_gone(only, now);
  EXPECT_EQ(ledger.next({pods, now}, now, false).kind, Kind::later);
  EXPECT_EQ(ledger.next({pods, now}, now, false).kind, Kind::later);
  ask();
  EXPECT_EQ(ledger.next({pods, now}, now, false).kind, Kind::update);  // and frees the other
}

// Of three replicas that remove it, two find nothing.
TEST_F(GroupLedgerStory, a_record_that_another_replica_has_removed_is_not_read_again) {
  const std::string only = member();
  pods.clear();
  ledger.pod_gone(only, now);
  step(Kind::remove, OutcomeKind::absent);
  EXPECT_EQ(next().kind, Kind::none);
  EXPECT_TRUE(ledger.idle(now));
}

TEST_F(GroupLedgerStory, a_group_that_no_list_has_is_forgotten_once_no_pod_may_come) {
  member();
  ask();
  step(Kind::update, OutcomeKind::ok);
  ledger.take_answers();  // its Pod may be stored for another minute
  now += 1s;
  ledger.missing(now);
  EXPECT_FALSE(ledger.idle(now));
  now += times::unconfirmed;
  EXPECT_TRUE(ledger.idle(now));
}

// Whoever may create Pods may give one any label; by its mark a review with the uid that the mark
// is made of got host 4,294,967,295.
TEST_F(GroupLedgerStory, a_stray_beyond_the_slices_is_not_adopted) {
  member();
  const std::string mark = token_mark("review-2").substr(0, 16);  // of the next question
  for (const char* place : {"0-4294967295-", "0-4-", "4294967295-0-", "131072-1-"})
    pods[std::string("uid-") + place] = {.token = place + mark, .place = {}, .leaving = false};
  ask();
  const auto call = next();
  EXPECT_EQ(call.kind, Kind::update);
  EXPECT_EQ(call.record.entries.size(), 2u);
  done(OutcomeKind::ok);
  EXPECT_EQ(ledger.take_answers().at(0).second.place, (topology::Place{0, 1}));
}

TEST_F(GroupLedgerStory, a_stray_of_the_slices_is_adopted) {
  member();
  pods["stray"] = {.token = "0-1-00000000000000aa", .place = {}, .leaving = false};
  ask();
  const auto call = next();
  EXPECT_NE(call.record.find("0-1-00000000000000aa"), nullptr);
  done(OutcomeKind::ok);
  EXPECT_EQ(ledger.take_answers().at(0).second.place, (topology::Place{0, 2}));
}

// The record may be written by hand: what stands in it beyond the slices is given to nobody,
// neither by a review's uid nor by a token.
TEST_F(GroupLedgerStory, an_entry_beyond_the_slices_is_given_to_nobody) {
  member();
  LedgerRecord by_hand = ledger.record();
  const std::string far = make_token({0, 4294967295u}, "review-2");
  const std::string near = make_token({7, 9}, "somebody");
  by_hand.entries.push_back({{0, 4294967295u}, far});
  by_hand.entries.push_back({{7, 9}, near});
  ledger.refresh("by hand", by_hand, now + 1s, now + 1s);
  now += 1s;
  ask();
  step(Kind::update, OutcomeKind::ok);
  EXPECT_EQ(ledger.take_answers().at(0).second.place, (topology::Place{0, 1}));
  now += 1s;
  ask(near);  // nobody has seen its Pod
  while (next().kind == Kind::list) done(OutcomeKind::ok, {}, pods);
  done(OutcomeKind::ok);
  EXPECT_EQ(ledger.take_answers().at(0).second.place, (topology::Place{0, 2}));
}

// A lost record is made of the Pods that are stored, whose labels say anything.
TEST_F(GroupLedgerStory, a_record_is_rebuilt_without_what_is_beyond_its_slices) {
  ask();
  step(Kind::read, OutcomeKind::absent);
  EXPECT_EQ(next().kind, Kind::list);
  pods["a"] = {.token = "0-4294967295-00000000000000aa", .place = {}, .leaving = false};
  pods["b"] = {.token = "0-4-00000000000000aa", .place = {}, .leaving = false};
  pods["c"] = {.token = "1-3-00000000000000aa", .place = {}, .leaving = false};
  done(OutcomeKind::ok, {}, pods);
  const auto anew = next();
  EXPECT_EQ(anew.kind, Kind::create);
  ASSERT_EQ(anew.record.entries.size(), 1u);
  EXPECT_EQ(anew.record.entries.front().place, (topology::Place{1, 3}));
}

// A new group whose list showed nobody, while this replica's watch shows a Pod: its record has the
// size of who asks. It was 0, and everybody was told of "slices of 0 hosts".
TEST_F(GroupLedgerStory, a_group_that_begins_beside_a_stray_has_the_size_that_is_asked) {
  pods["stray"] = {.token = "0-0-00000000000000aa", .place = {}, .leaving = false};
  ask();
  begin_group();
  const auto call = next();
  EXPECT_EQ(call.kind, Kind::create);
  EXPECT_EQ(call.record.hosts_per_slice, 4u);
  EXPECT_EQ(call.record.entries.size(), 2u);
}

// Processor time of count_places() in a group of so many entries and as many strays, ms.
double counting_takes(std::uint32_t members) {
  LedgerRecord record{.hosts_per_slice = 4, .rebuilding = false, .entries = {}};
  GroupPods pods;
  for (std::uint32_t i = 0; i < members; ++i) {
    const topology::Place place{i / 4, i % 4};
    record.entries.push_back({place, make_token(place, std::to_string(i))});
    const std::string stray = make_token(place, "stray-" + std::to_string(i));
    pods["uid-" + std::to_string(i)] = {.token = stray, .place = {}, .leaving = false};
  }
  PlacePlan plan(record, pods);
  const std::clock_t begin = std::clock();
  plan.count_places();
  return 1e3 * static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
}

// Linear in Pods and entries: sixteen times as many took 256 times as long when each Pod was
// searched for among the entries.
TEST(PlacePlan, takes_time_in_proportion_to_pods_and_entries) {
  const double few = counting_takes(1000);
  const double many = counting_takes(16'000);
  EXPECT_LT(many, 16 * 4 * std::max(few, 0.5));
}

}  // namespace
}  // namespace tpuwh::webhook::ledger
