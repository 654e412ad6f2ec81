#include "server/https/connections.hpp"

#include <algorithm>
#include <random>
#include <vector>

namespace tpuwh::server {
namespace {

bool waits_for_peer(Waiting what) {
  return what == Waiting::handshake || what == Waiting::first_request ||
         what == Waiting::next_request || what == Waiting::header;
}

// Of the connections that may go, this part goes with each sweep: a few at a time,
// so that a short burst costs few honest ones, and all within a few seconds.
constexpr std::size_t shed_part = 8;

}  // namespace

Connection::Connection(Connections& all, AnySocket& socket)
    : all_(all),
      socket_(socket),
      counted_(all.load_.connections),
      handshake_(all.load_.handshakes),
      large_body_(all.load_.large_bodies),
      retire_at_(all.retirement()),
      entry_(all.open_.insert(all.open_.end(), this)) {
  counted_.force(1);
  handshake_.force(1);
  wait(Waiting::handshake, limits::handshake);
}

Connection::~Connection() { all_.open_.erase(entry_); }

void Connection::wait(Waiting what, limits::Duration limit) {
  if (what == Waiting::next_request && all_.stop_idling_) {
    limit = std::min(limit, limits::drain_idle);
  }
  waiting_ = what;
  since_ = Clock::now();
  deadline_ = since_ + limit;
}

void Connection::close() {
  error_code ignored;  // the session learns of it from its own operation
  socket_.close(ignored);
}

void Connections::sweep(TimePoint now) {
  for (Connection* connection : open_) {
    if (connection->deadline_ <= now) connection->close();
  }
  if (load_.full()) shed(now);
}

void Connections::shed(TimePoint now) {
  const bool only_handshakes = !load_.connections.full();
  std::vector<Connection*> patient;
  for (Connection* connection : open_) {
    if (!waits_for_peer(connection->waiting_)) continue;
    if (only_handshakes && connection->waiting_ != Waiting::handshake) continue;
    if (now - connection->since_ >= limits::patience_when_full) patient.push_back(connection);
  }
  const auto count = (patient.size() + shed_part - 1) / shed_part;
  const auto last = patient.begin() + static_cast<std::ptrdiff_t>(count);
  std::partial_sort(patient.begin(), last, patient.end(),
                    [](auto* a, auto* b) { return a->since_ < b->since_; });
  std::for_each(patient.begin(), last, [](Connection* connection) { connection->close(); });
}

void Connections::stop_idling() {
  stop_idling_ = true;
  const auto latest = Clock::now() + limits::drain_idle;
  for (Connection* connection : open_) {
    const bool idle = connection->waiting_ == Waiting::next_request ||
                      connection->waiting_ == Waiting::first_request;
    if (idle) connection->deadline_ = std::min(connection->deadline_, latest);
  }
}

void Connections::close_all() {
  for (Connection* connection : open_) connection->close();
}

TimePoint Connections::retirement() {
  thread_local std::minstd_rand random{std::random_device{}()};
  const auto spread = limits::retirement_spread.count();
  std::uniform_int_distribution<limits::Duration::rep> pick(-spread, spread);
  return Clock::now() + limits::retirement + limits::Duration(pick(random));
}

}  // namespace tpuwh::server
