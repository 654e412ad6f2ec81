#include "server/serve/https/connections.hpp"

#include <sys/ioctl.h>
#include <sys/socket.h>

#include <algorithm>
#include <ctime>
#include <random>
#include <tuple>
#include <utility>
#include <vector>

namespace tpuwh::server::https {
namespace {

// At a time: few, so that a short burst costs few honest ones, and enough that a thousand are
// gone within a second.
constexpr std::size_t shed_part = 8;

// To some milliseconds, which is enough for limits of seconds, and a fifth of the cost: a request
// asks four times.
net::TimePoint coarse_now() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
  return net::TimePoint(std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec));
}

net::TimePoint retirement() {
  thread_local std::minstd_rand random{std::random_device{}()};
  const auto spread = limits::retirement_spread.count();
  std::uniform_int_distribution<limits::Duration::rep> pick(-spread, spread);
  return net::Clock::now() + limits::retirement + limits::Duration(pick(random));
}

// The peer has sent its part, and it is we who have not read it: the session waits to read, else it
// were `write` or `answer`. The sweep does not wait for the loop, so without this a busy loop would
// end the connections of honest callers.
bool has_unread_bytes(int socket) {
  int bytes = 0;
  return ::ioctl(socket, FIONREAD, &bytes) == 0 && bytes > 0;
}

}  // namespace

Connection::Connection(Connections& all, net::AnySocket& socket)
    : all_(all),
      socket_(socket.native_handle()),
      counted_(all.load_.connections),
      handshake_(all.load_.handshakes),
      body_(all.load_.held_bytes),
      unread_(all.load_.held_bytes),
      large_review_(all.load_.large_reviews),
      retire_at_(retirement()) {
  counted_.force(1);
  handshake_.force(1);
  begin_answer();
  wait(Waiting::handshake, limits::handshake);
  entry_ = all.enter(*this);
}

Connection::~Connection() {
  all_.leave(entry_);
}

Wait Wait::begin(Waiting what, limits::Duration limit) {
  const net::TimePoint now = coarse_now();
  return {.what = what, .since = now, .until = now + limit};
}

void Connection::wait(const Wait& wait) {
  net::TimePoint until = wait.until;
  if (wait.what == Waiting::next_request && all_.stop_idling_.load(std::memory_order_relaxed)) {
    until = std::min(until, wait.since + limits::drain_idle);
  }
  since_.store(to_ticks(wait.since), std::memory_order_relaxed);
  deadline_.store(to_ticks(until), std::memory_order_relaxed);
  waiting_.store(wait.what, std::memory_order_relaxed);
}

void Connection::begin_answer() {
  last_.store(to_ticks(coarse_now() + limits::between_answers), std::memory_order_relaxed);
}

bool Connection::begin_review_answer() {
  const net::TimePoint now = coarse_now();
  last_.store(to_ticks(now + limits::between_answers), std::memory_order_relaxed);
  if (now >= retire_at_) return true;
  if (++reviews_ % limits::reviews_when_full != 0 || !all_.is_crowded(now)) return false;
  all_.closed_for_others_.fetch_add(1, std::memory_order_relaxed);
  return true;
}

limits::Duration Connection::patience() const {
  const Waiting what = waiting();
  return what == Waiting::first_request || what == Waiting::linger ? limits::patience_with_newcomers
                                                                   : limits::patience_when_full;
}

bool Connection::is_too_late(net::TimePoint now) const {
  return to_time(last_) <= now || (to_time(deadline_) <= now && is_waiting_for_peer());
}

bool Connection::is_waiting_for_peer() const {
  const Waiting what = waiting();
  if (what == Waiting::answer) return false;
  return what == Waiting::write || what == Waiting::linger || !has_unread_bytes(socket_);
}

void Connection::close() {
  // Not ::close(): this is another thread, and the number could be another connection's before the
  // session, whose operation fails now, has let go of it.
  ::shutdown(socket_, SHUT_RDWR);
}

std::list<Connection*>::iterator Connections::enter(Connection& connection) {
  const std::lock_guard lock(mutex_);
  return open_.insert(open_.end(), &connection);
}

void Connections::leave(std::list<Connection*>::iterator entry) {
  const std::lock_guard lock(mutex_);
  open_.erase(entry);
}

void Connections::sweep(net::TimePoint now) {
  const std::lock_guard lock(mutex_);
  for (Connection* connection : open_) {
    if (connection->is_too_late(now)) connection->close();
  }
}

// Closes an eighth, but at most `most`, of the late connections that `wanted` selects. Connections
// in the middle of something are closed before idle ones, and in both groups the connection that
// has waited longest is closed first. Returns the number of closed connections.
template <class Wanted>
std::size_t Connections::shed(net::TimePoint now, std::size_t most, Wanted&& wanted) {
  const std::lock_guard lock(mutex_);
  const bool spare_idle =
      count_unfinished() >=
      std::max(limits::unfinished_before_idle, most / limits::waiting_for_each_unfinished);
  std::vector<std::tuple<bool, net::TimePoint, Connection*>> late;
  for (Connection* connection : open_) {
    const bool idle = connection->is_idle();
    if (!wanted(*connection) || (idle && spare_idle) ||
        now - connection->since() < connection->patience() || !connection->is_waiting_for_peer())
      continue;
    late.emplace_back(idle, connection->since(), connection);
  }
  const std::size_t count = std::min(most, (late.size() + shed_part - 1) / shed_part);
  std::ranges::partial_sort(late, late.begin() + static_cast<std::ptrdiff_t>(count));
  for (std::size_t i = 0; i < count; ++i) std::get<Connection*>(late[i])->close();
  return count;
}

// However short they have kept us waiting.
std::size_t Connections::count_unfinished() const {
  return static_cast<std::size_t>(std::ranges::count_if(open_, [](const Connection* connection) {
    return !connection->is_idle() && connection->waiting() != Waiting::answer;
  }));
}

void Connections::make_room(net::TimePoint now, std::size_t waiting) {
  const bool handshakes_only = !load_.connections.full();
  shed_for_others(now, waiting, [&](const Connection& connection) {
    return !handshakes_only || connection.waiting() == Waiting::handshake;
  });
}

void Connections::make_files(net::TimePoint now, std::size_t waiting) {
  shed_for_others(now, waiting, [](const Connection&) { return true; });
}

template <class Wanted>
void Connections::shed_for_others(net::TimePoint now, std::size_t waiting, Wanted&& wanted) {
  crowded_until_.store(Connection::to_ticks(now + limits::crowded), std::memory_order_relaxed);
  closed_for_others_.fetch_add(shed(now, waiting, std::forward<Wanted>(wanted)),
                               std::memory_order_relaxed);
}

void Connections::make_memory(net::TimePoint now) {
  shed(now, limits::connections, [](const Connection& connection) {
    return connection.body_.held() + connection.unread_.held() > 0;
  });
}

void Connections::stop_idling() {
  stop_idling_ = true;
  const auto latest = Connection::to_ticks(net::Clock::now() + limits::drain_idle);
  const std::lock_guard lock(mutex_);
  for (Connection* connection : open_) {
    const bool idle = connection->is_idle() || connection->waiting() == Waiting::first_request;
    if (idle && connection->deadline_.load(std::memory_order_relaxed) > latest)
      connection->deadline_.store(latest, std::memory_order_relaxed);
  }
}

void Connections::close_all() {
  const std::lock_guard lock(mutex_);
  for (Connection* connection : open_) connection->close();
}

}  // namespace tpuwh::server::https
