// Gives and frees the places of one worker group, for any number of replicas
// (docs/decisions/0012).
//
// The truth is one record in the cluster, changed only by compare-and-swap. Each replica
// has a GroupLedger of its own: told of questions, of Pods and of what its calls brought,
// it says which call to make next. No socket, clock or thread here; a test plays the
// cluster.
//
//   given   from the write of an entry, before the answer is sent, until its removal
//   freed   (a) an event said that the Pod with the token is gone, or a re-list lacks it
//           and a quorum list agrees; and no live Pod carries the token; or
//           (b) nobody has seen the Pod for times::unconfirmed since this replica
//           first saw the entry, its watch has moved since, and a quorum list agrees
//   clocks  durations of the replica's own monotonic clock; two machines' are never compared
//   costs   a Pod that is gone costs a call where the record has its token, or is not known;
//           no more is remembered of tokens that nobody gave than max_strangers
//
// A Pod that arrives with a token (another webhook made the API server call us again, or
// it is a copy): if the entry is there, nobody has seen its Pod, and a quorum list has no
// Pod with the token, the place is kept and the token replaced, by a write; so that of two
// replicas that judge the same entry at once one loses. Otherwise the Pod is a new one.
#pragma once

#include "webhook/ledger/group_pod.hpp"
#include "webhook/ledger/ledger.hpp"
#include "webhook/ledger/record.hpp"

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace tpuwh::webhook::ledger {

// Of a monotonic clock, since any fixed time.
using Moment = std::chrono::nanoseconds;

namespace times {

using namespace std::chrono_literals;

// An entry whose Pod was never seen. The API server ends a request after 60 s, so a Pod may
// be stored so long after our answer; the rest is margin for a watch that lags.
inline constexpr Moment unconfirmed = 120s;

// After a lost record was rebuilt: the API server's 60 s and a margin.
inline constexpr Moment rebuild = 70s;

// A question that the ledger cannot answer for so long is answered "try again": the API
// server waits 10 s (timeoutSeconds), and the next try may reach a healthy replica.
inline constexpr Moment patience = 5s;

// After a call that failed, and after a write that another replica won: twice as long each time
// until a write succeeds, and a random quarter more. Five seconds of patience are four tries at a
// dead ledger, and nine at a record that is never as it was read.
inline constexpr Moment pause = 500ms;
inline constexpr Moment lost_race = 10ms;

// The longest of them: while somebody waits, and while nobody does.
inline constexpr Moment longest_pause_asked = 2s;
inline constexpr Moment longest_pause = 30s;

// After a quorum list had a Pod that the watch does not show: the watch lags.
inline constexpr Moment vouched = 10s;

}  // namespace times

// What this replica's watch shows.
struct GroupView {
  const GroupPods& pods;
  Moment moved;  // when an event or a bookmark last came
};

class PlacePlan;

class GroupLedger {
 public:
  using Ticket = std::uint64_t;

  // Tokens without an entry that are remembered until a record says that they have none: what
  // another replica gave just now, or what somebody made up.
  static constexpr std::size_t max_strangers = 1024;

  // `salt`: any number, from which the pauses get what is random about them.
  explicit GroupLedger(std::uint32_t salt = 0) : draw_(salt % 2147483646 + 1) {}

  struct Question {
    topology::GroupSize size;
    std::string review_uid;
    std::string token;
    bool dry_run = false;
    std::string group;  // "worker group g of RayCluster ns/c", for messages
  };

  struct Call {
    enum class Kind {
      none,    // nothing to do now
      later,   // something that nobody waits for, once there is a turn for it
      read,    // the record
      create,  // `record`, which must not be there
      update,  // to `record`, if it still is `version`
      remove,  // the object, if it still is `version`
      list,    // Pods of the group, by quorum: what is stored now
    };
    Kind kind = Kind::none;
    LedgerRecord record = {};
    std::string version = {};
  };

  struct Outcome {
    enum class Kind {
      ok,
      absent,    // there is no such object
      conflict,  // it is another version, or there already
      failed,    // whether it was carried out is not known
    };
    Kind kind = Kind::failed;
    std::string version = {};  // of the record that was read or written
    LedgerRecord record = {};  // that was read
    GroupPods pods = {};       // that were listed
    std::string why = {};      // of failed
    bool lasting = false;      // of failed: until a person acts
    bool unsent = false;       // of failed: nothing has reached the cluster
    bool no_turn = false;      // of failed: the call was not sent, because it had no turn in time
  };

  using Answers = std::vector<std::pair<Ticket, PlaceAnswer>>;

  void ask(Ticket ticket, Question question, Moment now);

  // By an event of the watch. `due`: when to free its place, a random while later, so that
  // the replicas do not all write at once; a write made for another reason takes it along.
  void pod_gone(const std::string& token, Moment due);

  // One call may be under way; done() before the next. Without a turn only what somebody waits
  // for is called.
  Call next(const GroupView& view, Moment now, bool turn = true);
  void done(const Outcome& outcome, Moment now);

  // Somebody waits: for what is asked, or for the call under way.
  bool is_asked() const { return !asked_.empty() || !promised_.empty(); }
  // Nobody does, and the record must be read before anything else.
  bool wants_record() const;
  // How long next() has nothing to say, after a call that failed.
  Moment pause_left(Moment now) const;

  // Since the last time.
  Answers take_answers() { return std::exchange(answers_, {}); }

  // The record as it was listed with those of other groups, by a list that was begun then; or
  // that it was not among them. What was called for since then is newer, and remains.
  void refresh(const std::string& version, LedgerRecord record, Moment begun, Moment now);
  void missing(Moment begun);

  // Nothing asked, given or to be freed: may be forgotten.
  bool idle(Moment now) const;

  // As this replica last read or wrote it.
  const LedgerRecord& record() const { return record_; }

 private:
  enum class Known { nothing, absent, present };

  struct Asked {
    Ticket ticket;
    Question question;
    Moment at;
  };
  // What one question gets, and when it is told.
  struct Word {
    enum class When {
      now,
      written,     // once the write that gives the place has succeeded
      read_again,  // the question is put again then
    };
    When when;
    PlaceAnswer answer;
  };
  struct Promise {
    Asked to;
    PlaceAnswer answer;
  };
  // What this replica knows of an entry.
  struct Track {
    Moment first_seen;
    bool seen_live = false;
    std::optional<Moment> suspect = {};  // since when one that was seen is not there
    std::optional<Moment> vouched = {};  // when a quorum list had it all the same
  };
  struct Listing {
    Moment begun = Moment::min();
    std::set<std::string> tokens;
  };
  Moment stamp(Moment now);
  Call begin(Call call, Moment now);
  Call reread(Moment now);
  void hindered(Moment first, Moment now);
  bool older_than_known(Moment begun) const;
  void learn_absence(Moment read_at);
  template <class F>
  void give_up(F&& on, bool retry_now);
  void watch_entries(const GroupView& view, Moment now);
  void forget_strangers(Moment now);
  bool has_due(Moment now) const;
  bool is_coming(const LedgerEntry& entry, Moment now) const;
  bool rebuilt(Moment now) const;
  std::optional<Moment> doubt(const LedgerEntry& entry, const GroupView& view, Moment now) const;
  bool is_gone(const LedgerEntry& entry, const GroupView& view, Moment now) const;
  bool keeps_place(const Asked& asked) const;
  std::optional<Moment> list_wanted(const GroupView& view, Moment now) const;
  Call start_anew(const GroupView& view, Moment now);
  Call go_on_rebuilding(Moment now);
  Call give_and_free(const GroupView& view, Moment now);
  Word answer_to(const Asked& asked, PlacePlan& plan) const;
  Word new_place(const Asked& asked, PlacePlan& plan) const;
  Call write(LedgerRecord record, Moment now);
  void learn(const std::string& version, LedgerRecord record, Moment read_at, Moment now);
  void written(Call::Kind call, const Outcome& outcome, Moment now);
  void listed(const Outcome& outcome, Moment now);
  void take_back_promises();

  Known known_ = Known::nothing;
  LedgerRecord record_;  // when it is absent: as it last was
  std::string version_;
  Moment read_at_ = Moment::min();  // no answer is older than this
  std::optional<Moment> rebuilding_since_;

  std::vector<Asked> asked_;
  std::vector<Promise> promised_;  // answered once the write under way succeeds
  Answers answers_;

  // In order, not by a hash: what a token is made of comes with a review, so that whoever reaches
  // the port can make many of one hash.
  std::map<std::string, Track> tracks_;  // of record_.entries, by token
  std::map<std::string, Moment> gone_;   // token: when to free its place
  std::set<std::string> live_;           // tokens of the Pods that next() was shown
  Listing listing_;

  Call::Kind under_way_ = Call::Kind::none;
  LedgerRecord writing_;
  Moment begun_ = Moment::min();
  Moment ended_ = Moment::min();     // the last call
  Moment hindered_ = Moment::min();  // by its end
  Moment pause_{};                   // from then on; zero once a write succeeded
  std::uint32_t draw_;
  std::string why_;  // the last failure
  Moment last_stamp_ = Moment::min();
};

}  // namespace tpuwh::webhook::ledger
