#include "server/kube/cluster/cluster_ledger.hpp"

#include "base/names.hpp"
#include "server/kube/client/item_reader.hpp"
#include "server/kube/cluster/ledger_object.hpp"

#include <boost/asio/this_coro.hpp>

#include <algorithm>
#include <exception>
#include <iterator>
#include <optional>
#include <set>
#include <utility>

namespace tpuwh::server::kube::cluster {

using webhook::ledger::GroupLedger;
using webhook::ledger::GroupPods;
using webhook::ledger::Moment;
using webhook::ledger::PlaceAnswer;
using webhook::ledger::try_again;
using CallKind = GroupLedger::Call::Kind;
using Outcome = GroupLedger::Outcome;
using OutcomeKind = Outcome::Kind;

namespace {

Moment now() {
  return net::Clock::now().time_since_epoch();
}

store::GroupName name_of(const kube::places::OwnedPlaceRequest& request) {
  return {request.ns, request.cluster, request.cluster_uid, request.group};
}

base::FairQueue::Path path_of(const store::GroupName& name) {
  return {name.ns, name.cluster_uid};
}

constexpr std::string_view no_turn =
    "too many places are asked for, so the rate limit for the API server leaves no call in time";

// Returns the largest number of calls that an answer needs from `call` on. A new group needs three:
// the record of the group is read, its Pods are listed, and the record is created.
std::size_t turns_of(CallKind call) {
  return call == CallKind::read ? 3 : call == CallKind::list ? 2 : 1;
}

}  // namespace

// A session that waits for its answer.
struct ClusterLedger::Waiter {
  explicit Waiter(net::Executor executor) : timer(std::move(executor)) {}
  net::Timer timer;
  std::optional<PlaceAnswer> answer;
};

ClusterLedger::ClusterLedger(client::Client& client, store::Store& store, net::TaskGroup& tasks,
                             log::Log& log, std::string ns)
    : client_(client),
      questions_(client.turns(client::Purpose::question)),
      store_(store),
      tasks_(tasks),
      log_(log),
      calls_(client, store.prefix(), ns),
      ns_(std::move(ns)),
      stalls_({limits::api::stalled_memory, limits::api::stalled_groups}),
      random_(static_cast<std::minstd_rand::result_type>(now().count())) {
  store_.when_gone(
      [this](const store::GroupName& name, const std::string& token) { pod_gone(name, token); });
}

// --- Asking ---------------------------------------------------------------------------------

std::string ClusterLedger::why_not(const kube::places::OwnedPlaceRequest& request) const {
  const std::string group = webhook::ledger::name_of_group(request.view());
  if (!store_.synced(store::Kind::pod) || !store_.synced(store::Kind::ray_cluster))
    return group + ": this replica has not listed the cluster's Pods and RayClusters yet";
  if (!store_.is_fresh(store::Kind::pod, net::Clock::now()))
    return group + ": this replica has received nothing from its watch of Pods for " +
           std::to_string(limits::api::stale / std::chrono::seconds(1)) + " s";
  return {};
}

bool ClusterLedger::knows(const store::GroupName& name) const {
  return store_.has_ray_cluster(name.ns, name.cluster, name.cluster_uid) &&
         store_.ray_group(name.ns, name.cluster, name.group);
}

// A RayCluster's first Pods may be faster than the watch of RayClusters.
net::Task<bool> ClusterLedger::is_known(const kube::places::OwnedPlaceRequest& request) {
  net::Timer timer(client_.executor());
  for (int looks = 0; looks < limits::api::cluster_looks; ++looks) {
    if (knows(name_of(request))) co_return true;
    timer.expires_after(limits::api::cluster_look);
    const auto [error] = co_await timer.async_wait(net::as_result);
    if (error) co_return false;
  }
  co_return false;
}

net::Task<PlaceAnswer> ClusterLedger::place(kube::places::OwnedPlaceRequest request) {
  co_await boost::asio::this_coro::throw_if_cancelled(false);
  const store::GroupName name = name_of(request);
  if (std::string why = why_not(request); !why.empty()) {
    // Only of a group that is there: made-up ones must not ring an alert.
    if (knows(name)) stalls_.asked(name, net::Clock::now());
    co_return try_again(std::move(why));
  }
  const bool known = co_await is_known(request);
  if (!known) {
    using base::printable;
    co_return try_again("there is no RayCluster " + printable(request.cluster) +
                            " with the uid of the Pod's owner and a worker group " +
                            printable(request.group) + " in namespace " + printable(request.ns),
                        /*retry_now=*/false);
  }
  // Without it the group has no bound: it was not known yet when the Pod was read. A forged review
  // of a group that is not there made a ledger object of any size.
  if (request.size.members == 0)
    co_return try_again(webhook::ledger::name_of_group(request.view()) +
                        " was not known yet when the Pod was read");
  stalls_.asked(name, net::Clock::now());
  PlaceAnswer answer = co_await ask(std::move(request));
  stalls_.answered(name, answer);  // a 503 for want of a ledger does not end the wait
  co_return answer;
}

net::Task<PlaceAnswer> ClusterLedger::ask(kube::places::OwnedPlaceRequest request) {
  const GroupLedger::Ticket ticket = ++last_ticket_;
  Waiter waiter(client_.executor());
  // Taken out again however this ends.
  struct Entry {
    std::map<GroupLedger::Ticket, Waiter*>& waiters;
    GroupLedger::Ticket ticket;
    ~Entry() { waiters.erase(ticket); }
  } const entry{waiters_, ticket};
  waiters_[ticket] = &waiter;
  GroupLedger::Question question{.size = request.size,
                                 .review_uid = request.review_uid,
                                 .token = request.token,
                                 .dry_run = request.dry_run,
                                 .group = webhook::ledger::name_of_group(request.view())};
  const auto group = group_of(name_of(request));
  // The turn is checked before anything is searched among the Pods of the group, because there may
  // be many of these Pods.
  const auto until = net::Clock::now() + limits::api::ledger_call;
  if (!group->second.ledger.is_asked() && !questions_.has_turn(path_of(group->first), until))
    co_return try_again(question.group + ": " + std::string(no_turn));
  group->second.ledger.ask(ticket, std::move(question), now());
  pump(group, true);
  if (!waiter.answer) {
    waiter.timer.expires_after(limits::api::ledger_wait);
    co_await waiter.timer.async_wait(net::as_result);
  }
  if (!waiter.answer) co_return try_again("the ledger did not answer in time");
  co_return std::move(*waiter.answer);
}

void ClusterLedger::answer(GroupLedger::Answers answers) {
  for (auto& [ticket, word] : answers) {
    const auto waiter = waiters_.find(ticket);
    if (waiter == waiters_.end()) continue;
    waiter->second->answer = std::move(word);
    waiter->second->timer.cancel();
  }
}

// --- Doing what the groups want ---------------------------------------------------------------

ClusterLedger::Groups::iterator ClusterLedger::group_of(const store::GroupName& name) {
  const auto salt = static_cast<std::uint32_t>(random_());
  return groups_.try_emplace(name, Group{GroupLedger(salt)}).first;
}

// What the group said; with a turn it may call for what nobody waits for.
CallKind ClusterLedger::pump(Groups::iterator group, bool turn) {
  auto& [name, state] = *group;
  const Moment moved = store_.moved(store::Kind::pod).time_since_epoch();
  GroupLedger::Call call = state.ledger.next({store_.group_pods(name), moved}, now(), turn);
  answer(state.ledger.take_answers());
  const CallKind kind = call.kind;
  if (kind == CallKind::none || kind == CallKind::later) return kind;
  const auto purpose = state.ledger.is_asked() ? client::Purpose::paid : client::Purpose::upkeep;
  tasks_.spawn(client_.executor(), perform(name, std::move(call), purpose));
  return kind;
}

bool ClusterLedger::has_turn() {
  return client_.free_turns(client::Purpose::upkeep) > 0;
}

// Whether records that nobody waits for are to be read by one list of all: where they are more
// than a handful, or a handful has been read one by one since the last list. So what deleted Pods
// can cost by their labels has an end.
bool ClusterLedger::reads_by_list(net::TimePoint now) {
  if (now - listed_ >= limits::api::ledger_catch_up) reads_left_ = limits::api::ledger_handful;
  const auto wanting = std::ranges::count_if(
      groups_, [](const auto& group) { return group.second.ledger.wants_record(); });
  return static_cast<std::size_t>(wanting) > reads_left_;
}

void ClusterLedger::pump_in_turn(Groups::iterator group, std::size_t& turns, bool by_list) {
  const bool reads = group->second.ledger.wants_record();
  const bool asked = group->second.ledger.is_asked();
  const bool waits = reads && (by_list || reads_left_ == 0);
  const CallKind kind = pump(group, turns > 0 && !waits);
  if (kind == CallKind::later) behind_ = true;
  if (asked || kind == CallKind::none || kind == CallKind::later) return;
  --turns;
  if (reads) --reads_left_;
}

// Those that nobody asks about in another order each time, and so at each replica: what one
// removes is then mostly not yet tried by the others.
void ClusterLedger::pump_all() {
  const bool by_list = reads_by_list(net::Clock::now());
  std::size_t turns = client_.free_turns(client::Purpose::upkeep);
  behind_ = by_list;
  if (groups_.empty()) return;
  const auto first =
      std::next(groups_.begin(), static_cast<std::ptrdiff_t>(random_() % groups_.size()));
  for (auto group = first; group != groups_.end(); ++group) pump_in_turn(group, turns, by_list);
  for (auto group = groups_.begin(); group != first; ++group) pump_in_turn(group, turns, by_list);
  forget_idle();
}

void ClusterLedger::forget_idle() {
  const Moment at = now();
  std::erase_if(groups_, [&](const auto& group) {
    return group.second.ledger.idle(at) && store_.group_pods(group.first).empty();
  });
}

// Whoever may create Pods may give them any label: one that is gone is of interest where a group
// is known already, by its record or a question, or its RayCluster is there.
void ClusterLedger::pod_gone(const store::GroupName& name, const std::string& token) {
  if (!groups_.contains(name) && !knows(name)) return;
  // Spread, so that the replicas do not all write at once.
  constexpr std::uint32_t most = 2000;
  const auto due = now() + std::chrono::milliseconds(random_() % most);
  group_of(name)->second.ledger.pod_gone(token, due);
}

// A group whose call is never done with would make no other for good.
net::Task<Outcome> ClusterLedger::try_to_perform(const store::GroupName& name,
                                                 const GroupLedger::Call& call,
                                                 client::Purpose purpose) {
  std::string why;
  try {
    std::size_t& turns = groups_.find(name)->second.turns;
    // All turns of a question are taken before its first call, because a question that got one turn
    // and waited in vain for the next one would have wasted the first.
    if (purpose == client::Purpose::paid && turns == 0) {
      const base::FairQueue::Path whose = path_of(name);
      const net::TimePoint until = net::Clock::now() + limits::api::ledger_call;
      const std::size_t all = turns_of(call.kind);
      const bool taken = co_await questions_.turn(whose, until, all);
      if (!taken) co_return Outcome{.why = std::string(no_turn), .unsent = true, .no_turn = true};
      turns = all;
    }
    if (purpose == client::Purpose::paid) --turns;
    Outcome outcome = co_await calls_.perform(name, call, purpose);
    co_return outcome;
  } catch (const std::exception& fault) {
    why = fault.what();
  }
  Outcome failed;
  failed.why = std::move(why);
  co_return failed;
}

net::Task<void> ClusterLedger::perform(store::GroupName name, GroupLedger::Call call,
                                       client::Purpose purpose) {
  co_await boost::asio::this_coro::throw_if_cancelled(false);
  const auto group = groups_.find(name);  // a group with a call under way stays in the map
  const Outcome outcome = co_await try_to_perform(name, call, purpose);
  count(call, outcome);
  say(name, call, outcome);
  group->second.ledger.done(outcome, now());
  answer(group->second.ledger.take_answers());
  const CallKind next = pump(group, has_turn());
  if (next == CallKind::none || next == CallKind::later || !group->second.ledger.is_asked())
    questions_.give_back(std::exchange(group->second.turns, 0));
  co_await rest(std::move(name));
}

// After a call that failed or lost a race: whoever waits is not to wait for the next tick, too.
net::Task<void> ClusterLedger::rest(store::GroupName name) {
  const auto waiting = groups_.find(name);
  if (waiting == groups_.end() || !waiting->second.ledger.is_asked()) co_return;
  const Moment pause = waiting->second.ledger.pause_left(now());
  if (pause == Moment::zero()) co_return;
  net::Timer timer(client_.executor());
  timer.expires_after(pause);
  const auto [error] = co_await timer.async_wait(net::as_result);
  if (error) co_return;
  if (const auto group = groups_.find(name); group != groups_.end()) pump(group, false);
}

// One line a minute of what fails: a thousand groups fail alike.
void ClusterLedger::say(const store::GroupName& name, const GroupLedger::Call& call,
                        const Outcome& outcome) {
  const std::string group = name.ns + '/' + name.cluster + '/' + name.group;
  if (outcome.kind == OutcomeKind::failed && failures_said_.allows(net::Clock::now()))
    log_.warn("ledger", {{"group", group}, {"error", outcome.why}});
  if (call.kind == CallKind::create && call.record.rebuilding && outcome.kind == OutcomeKind::ok)
    log_.warn("ledger object was missing; rebuilt from the running Pods",
              {{"group", group}, {"entries", std::uint64_t{call.record.entries.size()}}});
}

// --- In the background ------------------------------------------------------------------------

// Hands each object to its group as it comes: no more of the list is held than one.
class ClusterLedger::ObjectReader final : public client::ItemReader {
 public:
  ObjectReader(ClusterLedger& ledger, Moment begun) : ledger_(ledger), begun_(begun) {}

  // Groups without an object; only of a list that was read whole.
  void tell_missing() const {
    for (auto& [name, group] : ledger_.groups_)
      if (!seen_.contains(name)) group.ledger.missing(begun_);
  }
  bool all_read() const { return whole() && !unreadable_ && page().passed_over() == 0; }

 private:
  void on_item(std::string_view json) override {
    auto object = parse_ledger_object(json);
    if (!object) {
      unreadable_ = true;
      ledger_.log_.warn("ledger", {{"error", object.error().message()}});
      return;
    }
    if (object->dropped > 0 && ledger_.failures_said_.allows(net::Clock::now()))
      ledger_.log_.warn("ledger object has entries beyond its slices, which are dropped",
                        {{"object", object->name}, {"entries", std::uint64_t{object->dropped}}});
    seen_.insert(object->group);
    ledger_.group_of(object->group)
        ->second.ledger.refresh(object->version, std::move(object->record), begun_, now());
  }

  ClusterLedger& ledger_;
  const Moment begun_;
  std::set<store::GroupName> seen_;
  bool unreadable_ = false;
};

// What other replicas have given and freed; the entries of those that died are freed by those
// that live.
net::Task<void> ClusterLedger::list_objects() {
  co_await boost::asio::this_coro::throw_if_cancelled(false);
  // However this ends, another list may follow.
  struct Over {
    bool& listing;
    ~Over() { listing = false; }
  } const over{listing_};
  const client::Selectors selectors{.labels = std::string(ledger_label), .fields = {}};
  ObjectReader reader(*this, now());
  const client::StreamLimits within{.silence = limits::api::page_silence,
                                    .total = limits::api::page_silence};
  client::Request request = client::list(ledger_objects(ns_), selectors, {});
  request.purpose = client::Purpose::upkeep;
  const client::Response response = co_await client_.stream(std::move(request), within, reader);
  if (response.ok() && reader.all_read()) reader.tell_missing();
  if (response.ok()) co_return;
  log_.warn("ledger", {{"error", response.answered() ? client::sentence("list", ledger_objects(ns_),
                                                                        response.status())
                                                     : response.error}});
}

net::Task<void> ClusterLedger::run() {
  co_await boost::asio::this_coro::throw_if_cancelled(false);
  net::Timer timer(client_.executor());
  for (;;) {
    timer.expires_after(limits::api::ledger_tick);
    const auto [error] = co_await timer.async_wait(net::as_result);
    if (error) co_return;
    if (!store_.synced(store::Kind::pod)) continue;
    const auto pause = behind_ ? limits::api::ledger_catch_up : limits::api::ledger_list;
    if (!listing_ && net::Clock::now() - listed_ >= pause) {
      listing_ = true;
      listed_ = net::Clock::now();
      tasks_.spawn(client_.executor(), list_objects());
    }
    pump_all();
  }
}

// --- For metrics ------------------------------------------------------------------------------

void ClusterLedger::count(const GroupLedger::Call& call, const Outcome& outcome) {
  const bool writes = call.kind == CallKind::create || call.kind == CallKind::update ||
                      call.kind == CallKind::remove;
  if (!writes) return;
  switch (outcome.kind) {
    case OutcomeKind::ok:
      ++counted_.written;
      break;
    case OutcomeKind::conflict:
    case OutcomeKind::absent:
      ++counted_.conflicts;
      break;
    case OutcomeKind::failed:
      ++counted_.failed;
      break;
  }
}

LedgerStatus ClusterLedger::status() {
  LedgerStatus status = counted_;
  status.stalled = stalls_.longest(net::Clock::now());
  status.groups = groups_.size();
  for (const auto& [name, group] : groups_) status.entries += group.ledger.record().entries.size();
  return status;
}

}  // namespace tpuwh::server::kube::cluster
