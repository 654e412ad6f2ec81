#include "tests/unit/webhook/ledger/small_world.hpp"

#include <algorithm>

#include "webhook/ledger/token.hpp"

namespace tpuwh::webhook::ledger {

using namespace std::chrono_literals;
using Kind = GroupLedger::Call::Kind;
using OutcomeKind = GroupLedger::Outcome::Kind;

namespace {

using Millis = std::chrono::milliseconds;

constexpr Moment request_limit = 60s;  // of the API server, for one creation
constexpr Moment call_limit = 3s;      // of a replica, for one call

std::string text_of(const GroupLedger::Call& call) {
  static const char* const names[] = {"none",   "later",  "read", "create",
                                      "update", "remove", "list"};
  std::string text = names[static_cast<int>(call.kind)];
  if (!call.version.empty()) text += " of version " + call.version;
  if (call.record.rebuilding) text += " rebuilding";
  for (const auto& entry : call.record.entries) text += ' ' + entry.token;
  return text;
}

}  // namespace

SmallWorld::SmallWorld(std::uint64_t seed, Wrong wrong, Figures& figures)
    : random_(seed), wrong_(wrong), figures_(figures), hosts_(1 + below(3)), slices_(1 + below(2)) {
  for (Replica& replica : replicas_) {
    replica.clock_offset = Millis(below(7'200'000));
    start(replica);
  }
}

std::uint32_t SmallWorld::below(std::uint32_t end) {
  return static_cast<std::uint32_t>((random_() >> 32) * end >> 32);
}

void SmallWorld::note(const std::string& line) {
  story_ += std::to_string((now_ - 1000s) / 1ms) + " ms: " + line + '\n';
}

// --- Replicas ---------------------------------------------------------------------------

// Knows nothing but what a consistent list says.
void SmallWorld::start(Replica& replica) {
  replica.ledger = std::make_unique<GroupLedger>(below(1u << 30));
  if (telling_) note("replica " + std::to_string(&replica - replicas_.data()) + " starts");
  ++replica.life;
  replica.view.clear();
  for (const Pod& pod : pods_) replica.view[pod.uid] = pod;
  replica.position = events_.size();
  replica.moved = now_ + replica.clock_offset;
  replica.frozen = false;
}

void SmallWorld::catch_up(Replica& replica, std::size_t most) {
  if (replica.frozen) return;
  const Moment now = now_ + replica.clock_offset;
  for (; most > 0 && replica.position < events_.size(); --most, ++replica.position) {
    const Event& event = events_[replica.position];
    if (!event.deleted) {
      replica.view[event.pod.uid] = event.pod;
      continue;
    }
    replica.view.erase(event.pod.uid);
    // Not told: its group was not known yet, or there were too many of them.
    if (one_in(8)) {
      ++figures_.ignored;
      continue;
    }
    replica.ledger->pod_gone(event.pod.token, now + Millis(below(2000)));
  }
  replica.moved = now;
}

// The watch was lost; what vanished meanwhile is known by the list alone.
void SmallWorld::relist(Replica& replica) {
  ++figures_.relists;
  if (telling_) note("replica " + std::to_string(&replica - replicas_.data()) + " lists again");
  const std::map<std::string, Pod> before = std::move(replica.view);
  replica.view.clear();
  replica.frozen = false;
  if (wrong_ == Wrong::frees_by_old_relist && !events_.empty()) {
    replica.position = below(static_cast<std::uint32_t>(events_.size()));
    for (std::size_t i = 0; i < replica.position; ++i) {
      if (events_[i].deleted)
        replica.view.erase(events_[i].pod.uid);
      else
        replica.view[events_[i].pod.uid] = events_[i].pod;
    }
    for (const auto& [uid, pod] : before)
      if (!replica.view.contains(uid))
        replica.ledger->pod_gone(pod.token, now_ + replica.clock_offset);
  } else {
    for (const Pod& pod : pods_) replica.view[pod.uid] = pod;
    replica.position = events_.size();
  }
  replica.moved = now_ + replica.clock_offset;
}

// All records as they were at one time, told later than what was called meanwhile.
void SmallWorld::list_records(std::size_t index) {
  ++figures_.record_lists;
  const Replica& replica = replicas_[index];
  if (telling_) note("replica " + std::to_string(index) + " lists all records");
  lists_.push_back({.replica = index,
                    .life = replica.life,
                    .begun = now_ + replica.clock_offset,
                    .there = record_there_,
                    .version = std::to_string(version_),
                    .record = record_});
}

void SmallWorld::tell_list() {
  if (lists_.empty()) return;
  const RecordList list = std::move(lists_.front());
  lists_.pop_front();
  Replica& replica = replicas_[list.replica];
  if (replica.life != list.life) return;
  if (telling_) note("replica " + std::to_string(list.replica) + " is told all records");
  if (list.there)
    replica.ledger->refresh(list.version, list.record, list.begun, now_ + replica.clock_offset);
  else
    replica.ledger->missing(list.begun);
}

void SmallWorld::turn(std::size_t index) {
  Replica& replica = replicas_[index];
  GroupPods pods;
  for (const auto& [uid, pod] : replica.view) pods[uid] = {pod.token, {}, pod.leaving};
  Moment now = now_ + replica.clock_offset;
  if (wrong_ == Wrong::expires_by_wall_clock && one_in(20)) now += 1h;
  const bool turn = !one_in(3);
  auto call = replica.ledger->next({pods, replica.moved}, now, turn);
  figures_.paused += call.kind == Kind::none && replica.ledger->pause_left(now) > Moment::zero();
  if (call.kind == Kind::none || call.kind == Kind::later) return collect_answers(index);
  if (telling_) note("replica " + std::to_string(index) + " calls " + text_of(call));
  if (wrong_ == Wrong::drops_on_confirmation && call.kind == Kind::update)
    std::erase_if(call.record.entries, [&](const auto& entry) {
      return std::ranges::any_of(
          replica.view, [&](const auto& seen) { return seen.second.token == entry.token; });
    });
  if (wrong_ == Wrong::deletes_without_precondition)
    call.version += call.kind == Kind::remove ? "!" : "";
  calls_.push_back({index, replica.life, std::move(call), now_});
  collect_answers(index);
}

void SmallWorld::collect_answers(std::size_t index) {
  for (auto& [ticket, answer] : replicas_[index].ledger->take_answers()) {
    const auto creation = std::ranges::find(creations_, ticket, &Creation::ticket);
    if (creation == creations_.end()) continue;
    if (answer.kind == PlaceAnswer::Kind::given && !creation->dry_run) {
      ++figures_.given;
      creation->state = Creation::State::answered;
      creation->answered_at = now_;
      creation->answer = std::move(answer);
      continue;
    }
    ++figures_.refused;
    creations_.erase(creation);
  }
}

// --- The API server ---------------------------------------------------------------------

void SmallWorld::apply(PendingCall& pending) {
  const GroupLedger::Call& call = pending.call;
  GroupLedger::Outcome& outcome = pending.outcome;
  pending.applied = true;
  if (telling_)
    note("applied, of replica " + std::to_string(pending.replica) + ": " + text_of(call));
  const bool current = call.version == std::to_string(version_) || call.version.ends_with('!');
  const auto write = [&](bool there) {
    outcome.kind = OutcomeKind::ok;
    if (there && !record_there_) record_since_ = now_;
    record_there_ = there;
    record_ = call.record;
    outcome.version = std::to_string(++version_);
  };
  switch (call.kind) {
    case Kind::none:
    case Kind::later:
      return;
    case Kind::read:
      outcome.kind = record_there_ ? OutcomeKind::ok : OutcomeKind::absent;
      outcome.record = record_;
      outcome.version = std::to_string(version_);
      return;
    case Kind::list:
      outcome.kind = OutcomeKind::ok;
      for (const Pod& pod : pods_) outcome.pods[pod.uid] = {pod.token, {}, pod.leaving};
      return;
    case Kind::create:
      if (!record_there_) return write(true);
      outcome.kind = OutcomeKind::conflict;
      ++figures_.conflicts;
      return;
    case Kind::update:
    case Kind::remove:
      if (record_there_ && current) return write(call.kind == Kind::update);
      outcome.kind = record_there_ ? OutcomeKind::conflict : OutcomeKind::absent;
      ++figures_.conflicts;
      return;
  }
}

void SmallWorld::deliver(std::size_t index, bool lost) {
  PendingCall& pending = calls_[index];
  Replica& replica = replicas_[pending.replica];
  if (lost) ++figures_.lost_answers;
  if (telling_)
    note(std::string(lost ? "lost for" : "told to") + " replica " +
         std::to_string(pending.replica) + ": " + text_of(pending.call) + " outcome " +
         std::to_string(static_cast<int>(pending.outcome.kind)) + " version " +
         pending.outcome.version);
  if (!pending.abandoned && pending.life == replica.life) {
    GroupLedger::Outcome outcome = lost ? GroupLedger::Outcome{.why = "timeout"} : pending.outcome;
    replica.ledger->done(outcome, now_ + replica.clock_offset);
    collect_answers(pending.replica);
  }
  // A request that nobody waits for any more may still arrive.
  if (lost && !pending.applied)
    pending.abandoned = true;
  else
    calls_.erase(calls_.begin() + static_cast<std::ptrdiff_t>(index));
}

void SmallWorld::end_calls() {
  for (std::size_t i = calls_.size(); i-- > 0;) {
    const Moment age = now_ - calls_[i].since;
    if (calls_[i].abandoned ? age > request_limit : false)
      calls_.erase(calls_.begin() + static_cast<std::ptrdiff_t>(i));
    else if (!calls_[i].abandoned && age > call_limit)
      deliver(i, true);
  }
}

void SmallWorld::create(bool dry_run, bool copy) {
  std::size_t index = below(3);
  Replica& replica = replicas_[index];
  Creation creation{.ticket = next_ticket_++,
                    .replica = index,
                    .life = replica.life,
                    .at = now_,
                    .dry_run = dry_run,
                    .controllers = !dry_run && !copy};
  figures_.dry_runs += dry_run;
  figures_.copies += copy;
  std::string token;
  if (telling_)
    note("creation " + std::to_string(creation.ticket) + (dry_run ? " dry" : "") +
         (copy ? " copy" : "") + " at replica " + std::to_string(index));
  if (copy && !tokens_ever_.empty())
    token = tokens_ever_[below(static_cast<std::uint32_t>(tokens_ever_.size()))];
  if (wrong_ == Wrong::honours_any_token && !token.empty()) {
    creation.state = Creation::State::answered;
    creation.answered_at = now_;
    creation.answer = {PlaceAnswer::Kind::given, *place_of_token(token), token, {}};
    creations_.push_back(std::move(creation));
    return;
  }
  const std::uint32_t members = hosts_ * slices_;
  replica.ledger->ask(creation.ticket,
                      {.size = {hosts_, 0, members},
                       .review_uid = "review-" + std::to_string(creation.ticket),
                       .token = token,
                       .dry_run = dry_run,
                       .group = "g"},
                      now_ + replica.clock_offset);
  creations_.push_back(std::move(creation));
}

void SmallWorld::store(Creation& creation) {
  ++figures_.stored;
  if (telling_) note("stored with " + creation.answer.token);
  const Pod pod{"pod-" + std::to_string(next_uid_++), creation.answer.token, creation.answer.place};
  for (const Pod& other : pods_)
    if (other.place == pod.place && !other.leaving)
      fault_ = "two members have place " + std::to_string(pod.place.slice) + '-' +
               std::to_string(pod.place.host);
  tokens_ever_.push_back(pod.token);
  pods_.push_back(pod);
  events_.push_back({false, pod});
}

// The API server gives up on a creation after a minute; one whose replica died at once.
void SmallWorld::end_creations() {
  std::erase_if(creations_, [&](const Creation& creation) {
    if (creation.state == Creation::State::answered) return now_ - creation.at > request_limit;
    return now_ - creation.at > 10s || creation.life != replicas_[creation.replica].life;
  });
}

void SmallWorld::end_pod(std::size_t index, bool slowly) {
  Pod& pod = pods_[index];
  if (telling_) note(std::string(slowly ? "leaves: " : "gone: ") + pod.token);
  if (slowly && !pod.leaving) {
    pod.leaving = true;
    events_.push_back({false, pod});
    return;
  }
  ++figures_.deleted;
  events_.push_back({true, pod});
  pods_.erase(pods_.begin() + static_cast<std::ptrdiff_t>(index));
}

// --- What happens -----------------------------------------------------------------------

void SmallWorld::misfortune() {
  const auto pod = [&] { return below(static_cast<std::uint32_t>(pods_.size())); };
  switch (below(13)) {
    case 0:
      ++figures_.crashes;
      return start(replicas_[below(3)]);
    case 1:
      replicas_[below(3)].frozen = true;
      return;
    case 2:
      return relist(replicas_[below(3)]);
    case 3:
    case 4:
      if (!pods_.empty()) end_pod(pod(), one_in(2));
      return;
    case 5:
      return create(true, false);
    case 6:
    case 7:
      return create(false, true);
    case 8:
      now_ += Millis(below(40'000));
      return;
    case 9:
      if (one_in(6)) now_ += Millis(below(150'000));
      return;
    case 11:
      return list_records(below(3));
    case 10:  // another webhook rejects the Pod that we let through
      for (auto creation = creations_.begin(); creation != creations_.end(); ++creation) {
        if (creation->state != Creation::State::answered) continue;
        ++figures_.rejected;
        if (one_in(2)) tokens_ever_.push_back(creation->answer.token);
        creations_.erase(creation);
        return;
      }
      return;
    default:  // somebody deletes the record of a group that has members; not in its first
              // minute, when a create may be under way that nobody can tell from the first
      if (!one_in(10) || !record_there_ || pods_.empty() || now_ - record_since_ < 70s) return;
      ++figures_.records_lost;
      if (telling_) note("the record is deleted");
      record_there_ = false;
      ++version_;
      return;
  }
}

bool SmallWorld::whole() const {
  std::set<topology::Place> places;
  for (const Pod& pod : pods_)
    if (pod.leaving || !places.insert(pod.place).second) return false;
  for (std::uint32_t slice = 0; slice < slices_; ++slice)
    for (std::uint32_t host = 0; host < hosts_; ++host)
      if (!places.contains({slice, host})) return false;
  return places.size() == wanted();
}

std::string SmallWorld::run() {
  ++figures_.worlds;
  const std::uint32_t misfortunes = 20 + below(60);
  std::uint32_t step = 0;
  Moment calm{};
  for (;; ++step) {
    ++figures_.steps;
    const bool unlucky = step < misfortunes;
    if (!unlucky && calm == Moment{}) calm = now_;
    if (unlucky && one_in(3)) misfortune();
    end_creations();
    std::size_t coming = 0;
    for (const Creation& creation : creations_) coming += creation.controllers;
    const auto staying = static_cast<std::size_t>(
        std::ranges::count_if(pods_, [](const Pod& pod) { return !pod.leaving; }));
    if (staying + coming < wanted()) create(false, false);
    for (std::size_t r = 0; r < replicas_.size(); ++r) {
      if (unlucky && one_in(2)) continue;
      if (!unlucky) replicas_[r].frozen = false;
      catch_up(replicas_[r], unlucky ? below(3) : events_.size());
      turn(r);
    }
    for (std::size_t i = calls_.size(); i-- > 0;) {
      if (unlucky && one_in(2)) continue;
      if (!calls_[i].applied) apply(calls_[i]);
      if (calls_[i].abandoned || !unlucky || one_in(2)) deliver(i, unlucky && one_in(12));
    }
    for (std::size_t i = creations_.size(); i-- > 0;) {
      if (creations_[i].state != Creation::State::answered || (unlucky && !one_in(3))) continue;
      store(creations_[i]);
      creations_.erase(creations_.begin() + static_cast<std::ptrdiff_t>(i));
      if (!fault_.empty()) return fault_;
    }
    if (!unlucky && one_in(4))
      for (std::size_t i = pods_.size(); i-- > 0;)
        if (pods_[i].leaving) end_pod(i, false);
    end_calls();
    if (one_in(3)) tell_list();
    if (!unlucky && one_in(30)) list_records(below(3));
    now_ += unlucky ? Millis(below(400)) : Millis(1000);
    if (unlucky) continue;
    if (whole() && calls_.empty() && creations_.empty()) return {};
    if (now_ - calm > 10min)
      return "the group is not whole ten minutes after the last misfortune: " +
             std::to_string(pods_.size()) + " of " + std::to_string(wanted()) + " members";
  }
}

}  // namespace tpuwh::webhook::ledger
