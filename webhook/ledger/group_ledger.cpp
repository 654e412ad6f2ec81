#include "webhook/ledger/group_ledger.hpp"

#include "base/counted.hpp"
#include "webhook/ledger/place_plan.hpp"
#include "webhook/ledger/token.hpp"

#include <algorithm>
#include <iterator>

namespace tpuwh::webhook::ledger {

using base::counted;
using Kind = GroupLedger::Call::Kind;

namespace {

// Those of `tokens` that have no entry yet and name a place of the record's slices.
void add_entries(LedgerRecord& record, const std::set<std::string>& tokens) {
  std::set<std::string> entered;
  for (const LedgerEntry& entry : record.entries) entered.insert(entry.token);
  for (const std::string& token : tokens) {
    const auto place = place_of_token(token);
    if (place && record.can_hold(*place) && entered.insert(token).second)
      record.entries.push_back({*place, token});
  }
}

PlaceAnswer other_size(const GroupLedger::Question& question, const LedgerRecord& record) {
  return no_place(question.group + " still has members of slices of " +
                  counted(record.hosts_per_slice, "host") + ", but this Pod is of a slice of " +
                  counted(question.size.hosts_per_slice, "host") +
                  "; it waits until they are deleted");
}

PlaceAnswer crowded(const GroupLedger::Question& question) {
  return no_place("the ledger of " + question.group + " has " +
                  std::to_string(LedgerRecord::max_entries) + " entries, the maximum");
}

}  // namespace

// --- What happens ---------------------------------------------------------------------

void GroupLedger::ask(Ticket ticket, Question question, Moment now) {
  asked_.push_back({ticket, std::move(question), stamp(now)});
}

void GroupLedger::pod_gone(const std::string& token, Moment due) {
  const bool known = tracks_.contains(token);
  if (token.empty() || (!known && gone_.size() >= tracks_.size() + max_strangers)) return;
  gone_.emplace(token, due);
}

bool GroupLedger::older_than_known(Moment begun) const {
  return under_way_ != Kind::none || begun < ended_;
}

void GroupLedger::refresh(const std::string& version, LedgerRecord record, Moment begun,
                          Moment now) {
  if (older_than_known(begun)) return;
  if (known_ == Known::present && version == version_) {
    read_at_ = begun;
    return;
  }
  learn(version, std::move(record), begun, now);
}

void GroupLedger::missing(Moment begun) {
  if (!older_than_known(begun)) learn_absence(begun);
}

// What the record was is kept: Pods of its entries may still come (start_anew).
void GroupLedger::learn_absence(Moment read_at) {
  known_ = Known::absent;
  read_at_ = read_at;
  rebuilding_since_.reset();
}

void GroupLedger::learn(const std::string& version, LedgerRecord record, Moment read_at,
                        Moment now) {
  known_ = Known::present;
  version_ = version;
  record_ = std::move(record);
  read_at_ = read_at;
  if (!record_.rebuilding) rebuilding_since_.reset();
  if (record_.rebuilding && !rebuilding_since_) rebuilding_since_ = now;
  std::map<std::string, Track> tracks;
  for (const LedgerEntry& entry : record_.entries) {
    const auto known = tracks_.find(entry.token);
    tracks.emplace(entry.token, known == tracks_.end() ? Track{now} : known->second);
  }
  tracks_.swap(tracks);
  // Tokens are given once: what was freed is not to be freed again.
  std::erase_if(gone_, [&](const auto& gone) {
    return tracks.contains(gone.first) && !tracks_.contains(gone.first);
  });
}

void GroupLedger::done(const Outcome& outcome, Moment now) {
  const Kind call = std::exchange(under_way_, Kind::none);
  ended_ = now;
  if (outcome.kind == Outcome::Kind::failed) {
    why_ = outcome.why;
    // All waiting questions are answered at once, and the next question may be tried without a
    // pause.
    if (outcome.no_turn) {
      take_back_promises();
      return give_up([](const Asked&) { return true; }, true);
    }
    hindered(times::pause, now);
    // A write that failed may have been carried out, so the record is read again. One that was not
    // sent has changed nothing, and under a flood each such reading would cost a second request.
    if (call != Kind::list && !outcome.unsent) known_ = Known::nothing;
    take_back_promises();
    // Told now, once, to all that wait. As a state that lasts until the next answer, a missing rule
    // kept the group from ever making the call that would have brought one.
    if (outcome.lasting) give_up([](const Asked&) { return true; }, false);
    return;
  }
  switch (call) {
    case Kind::none:
    case Kind::later:
      return;
    case Kind::read:
      if (outcome.kind == Outcome::Kind::ok)
        return learn(outcome.version, outcome.record, begun_, now);
      return learn_absence(begun_);
    case Kind::list:
      return listed(outcome, now);
    case Kind::create:
    case Kind::update:
    case Kind::remove:
      return written(call, outcome, now);
  }
}

void GroupLedger::written(Kind call, const Outcome& outcome, Moment now) {
  // Another replica has removed it, as this one wanted to: there is nothing left to read.
  if (call == Kind::remove && outcome.kind == Outcome::Kind::absent) return learn_absence(begun_);
  if (outcome.kind != Outcome::Kind::ok) {
    known_ = Known::nothing;
    hindered(times::lost_race, now);
    return take_back_promises();
  }
  pause_ = {};
  learn(outcome.version, std::move(writing_), begun_, now);
  if (call == Kind::remove) known_ = Known::absent;
  for (Promise& promise : promised_)
    answers_.emplace_back(promise.to.ticket, std::move(promise.answer));
  promised_.clear();
}

void GroupLedger::listed(const Outcome& outcome, Moment now) {
  listing_ = {begun_, {}};
  for (const auto& [uid, pod] : outcome.pods) {
    if (pod.token.empty()) continue;
    listing_.tokens.insert(pod.token);
    if (const auto track = tracks_.find(pod.token); track != tracks_.end())
      track->second = {track->second.first_seen, true, {}, now};
  }
}

void GroupLedger::take_back_promises() {
  std::vector<Asked> asked;
  for (Promise& promise : promised_) asked.push_back(std::move(promise.to));
  promised_.clear();
  asked_.insert(asked_.begin(), std::make_move_iterator(asked.begin()),
                std::make_move_iterator(asked.end()));
}

// --- What to do next ------------------------------------------------------------------

GroupLedger::Call GroupLedger::next(const GroupView& view, Moment now, bool turn) {
  give_up([&](const Asked& asked) { return now - asked.at >= times::patience; }, true);
  if (under_way_ != Kind::none) return {};
  watch_entries(view, now);
  forget_strangers(now);
  const auto wanted = list_wanted(view, now);
  if (asked_.empty() && !has_due(now) && !wanted && !rebuilt(now)) {
    pause_ = {};
    return {};
  }
  if (pause_left(now) > Moment::zero()) return {};
  if (asked_.empty() && !turn) return {Kind::later};
  if (known_ == Known::nothing) return reread(now);
  if (known_ == Known::absent) return start_anew(view, now);
  if (record_.rebuilding) return go_on_rebuilding(now);
  if (wanted && listing_.begun < *wanted) return begin({Kind::list}, now);
  return give_and_free(view, now);
}

// No two are equal: what was begun before a question does not answer it.
Moment GroupLedger::stamp(Moment now) {
  using namespace std::chrono_literals;
  return last_stamp_ = std::max(now, last_stamp_ + 1ns);
}

GroupLedger::Call GroupLedger::begin(Call call, Moment now) {
  under_way_ = call.kind;
  begun_ = stamp(now);
  writing_ = call.record;
  return call;
}

// The first pause after what hindered a call, then twice as much each time. Kept in step, the
// replicas would lose to each other in step.
void GroupLedger::hindered(Moment first, Moment now) {
  draw_ = static_cast<std::uint32_t>(std::uint64_t{draw_} * 48271 % 2147483647);
  pause_ = std::min(std::max(2 * pause_, first), times::longest_pause);
  const Moment spread = std::min(pause_, times::longest_pause_asked) / 4;
  hindered_ = now + spread * (draw_ % 256) / 256;
}

Moment GroupLedger::pause_left(Moment now) const {
  if (pause_ == Moment::zero()) return {};
  const Moment most = is_asked() ? times::longest_pause_asked : times::longest_pause;
  return std::max(hindered_ + std::min(pause_, most) - now, Moment::zero());
}

bool GroupLedger::wants_record() const {
  return known_ == Known::nothing && under_way_ == Kind::none && !is_asked() && !gone_.empty();
}

GroupLedger::Call GroupLedger::reread(Moment now) {
  known_ = Known::nothing;
  return begin({Kind::read}, now);
}

template <class F>
void GroupLedger::give_up(F&& on, bool retry_now) {
  std::erase_if(asked_, [&](const Asked& asked) {
    if (!on(asked)) return false;
    answers_.emplace_back(asked.ticket, try_again("the ledger of " + asked.question.group +
                                                      " cannot be read or written" +
                                                      (why_.empty() ? "" : ": " + why_),
                                                  retry_now));
    return true;
  });
}

void GroupLedger::watch_entries(const GroupView& view, Moment now) {
  live_.clear();
  for (const auto& [uid, pod] : view.pods)
    if (!pod.token.empty()) live_.insert(pod.token);
  for (auto& [token, track] : tracks_) {
    const bool vouched = track.vouched && now - *track.vouched < times::vouched;
    if (live_.contains(token))
      track = {.first_seen = track.first_seen, .seen_live = true};
    else if (track.seen_live && !track.suspect && !vouched && !gone_.contains(token))
      track.suspect = stamp(now);
  }
}

// Tokens of Pods that are gone and have no entry: a record read after their time says so, but is
// not read for it, since anybody can make them up. An entry that this replica has not read yet is
// freed by who gave it, by us once a list of all records shows it, or as one that nobody has
// seen. One that another Pod carries is not gone.
void GroupLedger::forget_strangers(Moment now) {
  std::erase_if(gone_, [&](const auto& gone) {
    const auto& [token, due] = gone;
    if (now < due || known_ == Known::nothing) return false;
    if (live_.contains(token)) return true;
    if (known_ == Known::present && tracks_.contains(token)) return false;
    if (read_at_ >= due) tracks_.erase(token);
    return read_at_ >= due;
  });
}

// Something is to be freed, or it is not known whether it is.
bool GroupLedger::has_due(Moment now) const {
  return std::ranges::any_of(gone_, [&](const auto& gone) {
    if (gone.second > now || known_ == Known::absent) return false;
    return known_ == Known::nothing || tracks_.contains(gone.first);
  });
}

// Its Pod may still be stored: this replica has not seen it, and not for long.
bool GroupLedger::is_coming(const LedgerEntry& entry, Moment now) const {
  const auto track = tracks_.find(entry.token);
  return track != tracks_.end() && !track->second.seen_live && !gone_.contains(entry.token) &&
         now - track->second.first_seen < times::unconfirmed;
}

bool GroupLedger::rebuilt(Moment now) const {
  return rebuilding_since_ && now - *rebuilding_since_ >= times::rebuild;
}

// Since when a quorum list must have been begun to say whether the entry is to go;
// nothing where there is no doubt.
std::optional<Moment> GroupLedger::doubt(const LedgerEntry& entry, const GroupView& view,
                                         Moment now) const {
  const auto found = tracks_.find(entry.token);
  if (found == tracks_.end() || live_.contains(entry.token) || gone_.contains(entry.token))
    return std::nullopt;
  const Track& track = found->second;
  if (track.seen_live) return track.suspect;
  const Moment end = track.first_seen + times::unconfirmed;
  if (now < end || view.moved <= track.first_seen) return std::nullopt;
  return end;
}

bool GroupLedger::is_gone(const LedgerEntry& entry, const GroupView& view, Moment now) const {
  if (gone_.contains(entry.token)) return !live_.contains(entry.token);
  const auto since = doubt(entry, view, now);
  return since && listing_.begun >= *since && !listing_.tokens.contains(entry.token);
}

// As far as this replica knows; a quorum list has the last word.
bool GroupLedger::keeps_place(const Asked& asked) const {
  const auto track = tracks_.find(asked.question.token);
  return track != tracks_.end() && !track->second.seen_live && !asked.question.dry_run &&
         !gone_.contains(asked.question.token);
}

std::optional<Moment> GroupLedger::list_wanted(const GroupView& view, Moment now) const {
  std::optional<Moment> wanted;
  for (const LedgerEntry& entry : record_.entries) {
    if (known_ != Known::present) break;
    if (const auto since = doubt(entry, view, now)) wanted = std::max(wanted, since);
  }
  for (const Asked& asked : asked_)
    if (keeps_place(asked)) wanted = std::max(wanted, std::optional(asked.at));
  return wanted;
}

// --- The record is not there ----------------------------------------------------------

// The group is new, or somebody deleted the record of one that lives.
GroupLedger::Call GroupLedger::start_anew(const GroupView& view, Moment now) {
  if (asked_.empty()) return {};
  // Absent when the question came, not only earlier: another replica may have begun the group. And
  // the Pods as they are stored after that: with tokens among them the group is not a new one.
  if (read_at_ < asked_.front().at) return reread(now);
  if (listing_.begun < read_at_) return begin({Kind::list}, now);
  LedgerRecord anew{.hosts_per_slice = asked_.front().question.size.hosts_per_slice,
                    .rebuilding = true,
                    .entries = {}};
  add_entries(anew, listing_.tokens);
  // Places given a moment ago, whose Pods the API server may still store.
  for (const LedgerEntry& entry : record_.entries)
    if (is_coming(entry, now) && anew.can_hold(entry.place) &&
        !listing_.tokens.contains(entry.token))
      anew.entries.push_back(entry);
  if (!anew.entries.empty()) return begin({Kind::create, std::move(anew)}, now);
  record_ = {};
  return give_and_free(view, now);
}

GroupLedger::Call GroupLedger::go_on_rebuilding(Moment now) {
  if (!rebuilt(now)) {
    for (const Asked& asked : asked_)
      answers_.emplace_back(asked.ticket,
                            try_again("the ledger of " + asked.question.group +
                                          " was lost and is being rebuilt from the running Pods",
                                      /*retry_now=*/false));
    asked_.clear();
    return {};
  }
  // A list of before the time was over could lack a Pod that was being created.
  if (listing_.begun < *rebuilding_since_ + times::rebuild) return begin({Kind::list}, now);
  LedgerRecord whole = record_;
  whole.rebuilding = false;
  add_entries(whole, listing_.tokens);
  return begin({Kind::update, std::move(whole), version_}, now);
}

// --- The record is there, or is to be -------------------------------------------------

GroupLedger::Call GroupLedger::give_and_free(const GroupView& view, Moment now) {
  PlacePlan plan(record_, view.pods);
  if (!asked_.empty()) plan.begin_new(asked_.front().question.size.hosts_per_slice);
  const std::size_t freed =
      plan.free([&](const LedgerEntry& entry) { return is_gone(entry, view, now); });
  plan.count_places();
  std::vector<Asked> waiting;
  for (Asked& asked : asked_) {
    Word word = answer_to(asked, plan);
    if (word.when == Word::When::now)
      answers_.emplace_back(asked.ticket, std::move(word.answer));
    else if (word.when == Word::When::written)
      promised_.push_back({std::move(asked), std::move(word.answer)});
    else
      waiting.push_back(std::move(asked));
  }
  asked_ = std::move(waiting);
  if (freed > 0 || !promised_.empty()) return write(std::move(plan).record(), now);
  return asked_.empty() ? Call{} : reread(now);
}

GroupLedger::Word GroupLedger::answer_to(const Asked& asked, PlacePlan& plan) const {
  const Question& question = asked.question;
  plan.begin_empty(question.size.hosts_per_slice);
  if (const LedgerEntry* entry = plan.given_to(question.review_uid, question.size))
    return {Word::When::now, given_place(entry->place, entry->token)};
  if (plan.record().hosts_per_slice != question.size.hosts_per_slice)
    return {Word::When::now, other_size(question, plan.record())};
  // By a write, though nothing but the token changes: of two replicas that judge this entry at the
  // same time, one to keep it and one to free it, one loses.
  const bool keeps = keeps_place(asked) && !listing_.tokens.contains(question.token);
  if (LedgerEntry* own = keeps ? plan.only_holder(question.token, question.size) : nullptr) {
    own->token = make_token(own->place, question.review_uid);
    return {Word::When::written, given_place(own->place, own->token)};
  }
  return new_place(asked, plan);
}

GroupLedger::Word GroupLedger::new_place(const Asked& asked, PlacePlan& plan) const {
  const Question& question = asked.question;
  const auto place = plan.next(question.size);
  // Full as of before the question: another replica may have freed a place since.
  if (!place && read_at_ < asked.at) return {Word::When::read_again, {}};
  if (!place) return {Word::When::now, no_place_left(question.size, question.group)};
  if (plan.is_crowded()) return {Word::When::now, crowded(question)};
  PlaceAnswer given = given_place(*place, make_token(*place, question.review_uid));
  if (question.dry_run) return {Word::When::now, std::move(given)};
  plan.give(*place, given.token);
  return {Word::When::written, std::move(given)};
}

GroupLedger::Call GroupLedger::write(LedgerRecord record, Moment now) {
  if (record.entries.empty()) return begin({Kind::remove, {}, version_}, now);
  const Kind kind = known_ == Known::absent ? Kind::create : Kind::update;
  return begin({kind, std::move(record), version_}, now);
}

// An entry whose Pod may still come is remembered even where the record is not there: somebody
// may have deleted it.
bool GroupLedger::idle(Moment now) const {
  const auto coming = [&](const LedgerEntry& entry) { return is_coming(entry, now); };
  return !is_asked() && under_way_ == Kind::none && answers_.empty() && gone_.empty() &&
         (known_ != Known::present || record_.entries.empty()) &&
         std::ranges::none_of(record_.entries, coming);
}

}  // namespace tpuwh::webhook::ledger
