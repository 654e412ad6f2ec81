#include "server/https/connections.hpp"

#include <algorithm>
#include <random>
#include <utility>
#include <vector>

namespace tpuwh::server::https {
namespace {

// With each sweep: a few at a time, so that a short burst costs few honest ones, and
// all within a few seconds.
constexpr std::size_t shed_part = 8;

}  // namespace

Connection::Connection(Connections& all, net::AnySocket& socket)
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

Connection::~Connection() {
  all_.open_.erase(entry_);
}

void Connection::wait(Waiting what, limits::Duration limit) {
  if (what == Waiting::next_request && all_.stop_idling_) {
    limit = std::min(limit, limits::drain_idle);
  }
  waiting_ = what;
  since_ = net::Clock::now();
  deadline_ = since_ + limit;
}

void Connection::close() {
  net::error_code ignored;  // the session learns of it from its own operation, and closes
  socket_.shutdown(net::AnySocket::shutdown_both, ignored);
}

void Connections::sweep(net::TimePoint now) {
  for (Connection* connection : open_) {
    if (connection->deadline_ <= now) connection->close();
  }
  if (load_.handshakes.full()) shed_handshakes(now);
  if (load_.connections.full()) shed_connections(now);
}

void Connections::shed_handshakes(net::TimePoint now) {
  for (Connection* connection : open_) {
    const bool stuck = connection->waiting_ == Waiting::handshake &&
                       now - connection->since_ >= limits::patience_when_full;
    if (stuck) connection->close();
  }
}

void Connections::shed_connections(net::TimePoint now) {
  std::vector<Connection*> waiting;
  for (Connection* connection : open_) {
    const bool for_peer = connection->waiting_ <= Waiting::header;
    const bool long_enough = now - connection->since_ >= limits::patience_when_full;
    if (for_peer && long_enough) waiting.push_back(connection);
  }
  const auto rank = [](const Connection* connection) {
    return std::pair(connection->waiting_ == Waiting::next_request, connection->since_);
  };
  const auto count = (waiting.size() + shed_part - 1) / shed_part;
  const auto last = waiting.begin() + static_cast<std::ptrdiff_t>(count);
  std::partial_sort(waiting.begin(), last, waiting.end(),
                    [rank](auto* a, auto* b) { return rank(a) < rank(b); });
  std::for_each(waiting.begin(), last, [](Connection* connection) { connection->close(); });
}

void Connections::stop_idling() {
  stop_idling_ = true;
  const auto latest = net::Clock::now() + limits::drain_idle;
  for (Connection* connection : open_) {
    const bool idle = connection->waiting_ == Waiting::next_request ||
                      connection->waiting_ == Waiting::first_request;
    if (idle) connection->deadline_ = std::min(connection->deadline_, latest);
  }
}

void Connections::close_all() {
  for (Connection* connection : open_) connection->close();
}

net::TimePoint Connections::retirement() {
  thread_local std::minstd_rand random{std::random_device{}()};
  const auto spread = limits::retirement_spread.count();
  std::uniform_int_distribution<limits::Duration::rep> pick(-spread, spread);
  return net::Clock::now() + limits::retirement + limits::Duration(pick(random));
}

}  // namespace tpuwh::server::https
