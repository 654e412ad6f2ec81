// A cluster in small, for the ledger: an API server with one record and the Pods of one
// group, a controller that wants the group whole, replicas whose watches lag, and
// misfortune. Every choice comes from one seed.
#pragma once

#include "webhook/ledger/group_ledger.hpp"

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace tpuwh::webhook::ledger {

// A ledger that is wrong on purpose: the world must notice.
enum class Wrong {
  nothing,
  drops_on_confirmation,  // an entry goes once its Pod is seen
  frees_by_old_relist,    // what a re-list lacks is gone, and the re-list may be old
  honours_any_token,      // a Pod that arrives with a token keeps the place
  deletes_without_precondition,
  expires_by_wall_clock,  // the age of an entry is another machine's clock's
};

struct Figures {
  std::uint64_t worlds = 0, steps = 0, given = 0, refused = 0, stored = 0, rejected = 0,
                deleted = 0, crashes = 0, copies = 0, lost_answers = 0, conflicts = 0, relists = 0,
                dry_runs = 0, records_lost = 0, ignored = 0, paused = 0, record_lists = 0;
};

class SmallWorld {
 public:
  SmallWorld(std::uint64_t seed, Wrong wrong, Figures& figures);

  // Misfortune for a while, then none until the group is whole. Returns what was wrong:
  // two members with one place, or a group that does not become whole; "" for nothing.
  std::string run();

  // What happened, a line each, if the world was made to tell.
  const std::string& story() const { return story_; }
  void tell() { telling_ = true; }

 private:
  struct Pod {
    std::string uid, token;
    topology::Place place;
    bool leaving = false;
  };
  struct Event {
    bool deleted = false;
    Pod pod;
  };
  struct PendingCall {
    std::size_t replica;
    unsigned life;  // of the replica that made it
    GroupLedger::Call call;
    Moment since;
    bool applied = false, abandoned = false;
    GroupLedger::Outcome outcome = {};
  };
  struct Replica {
    std::unique_ptr<GroupLedger> ledger;
    unsigned life = 0;
    Moment clock_offset{};
    std::size_t position = 0;  // in events_
    std::map<std::string, Pod> view;
    Moment moved{};
    bool frozen = false;
  };
  // All records, as a replica is told them some time after.
  struct RecordList {
    std::size_t replica;
    unsigned life;
    Moment begun;
    bool there;
    std::string version;
    LedgerRecord record;
  };
  // A creation on its way through the API server.
  struct Creation {
    enum class State { asking, answered } state = State::asking;
    GroupLedger::Ticket ticket = 0;
    std::size_t replica = 0;
    unsigned life = 0;
    Moment at{}, answered_at{};
    bool dry_run = false, controllers = true;
    PlaceAnswer answer = {};
  };

  std::uint32_t below(std::uint32_t end);
  bool one_in(std::uint32_t n) { return below(n) == 0; }

  void start(Replica& replica);
  void catch_up(Replica& replica, std::size_t most);
  void relist(Replica& replica);
  void list_records(std::size_t index);
  void tell_list();
  void turn(std::size_t index);
  void apply(PendingCall& call);
  void deliver(std::size_t index, bool lost);
  void end_calls();
  void collect_answers(std::size_t index);
  void create(bool dry_run, bool copy);
  void store(Creation& creation);
  void end_creations();
  void end_pod(std::size_t index, bool slowly);
  void misfortune();
  bool whole() const;
  std::size_t wanted() const { return hosts_ * slices_; }
  void note(const std::string& line);

  std::string fault_, story_;
  bool telling_ = false;

  std::mt19937_64 random_;
  const Wrong wrong_;
  Figures& figures_;
  const std::uint32_t hosts_, slices_;
  Moment now_ = std::chrono::seconds(1000);

  bool record_there_ = false;
  LedgerRecord record_;
  Moment record_since_{};
  std::uint64_t version_ = 0;
  std::vector<Pod> pods_;
  std::vector<Event> events_;
  std::vector<std::string> tokens_ever_;
  std::deque<PendingCall> calls_;
  std::deque<RecordList> lists_;
  std::deque<Creation> creations_;
  std::array<Replica, 3> replicas_;
  std::uint64_t next_uid_ = 1, next_ticket_ = 1;
};

}  // namespace tpuwh::webhook::ledger
