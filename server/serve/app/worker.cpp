#include "server/serve/app/worker.hpp"

#include <boost/asio/post.hpp>

#include <chrono>
#include <exception>
#include <utility>

namespace tpuwh::server::app {

Worker::Worker(const Shared& shared, std::size_t number)
    : shared_(shared),
      number_(number),
      handlers_({.config = shared.config,
                 .cluster = shared.cluster,
                 .health = shared.health,
                 .log = shared.log,
                 .metrics = shared.metrics}) {
  tasks_.when_failed([this](const net::TaskFailure& failure) { say(failure); });
  keep("heartbeat", [this] { return beat(); });
}

// Of tasks that have ended one line a minute: peers may cause many.
void Worker::say(const net::TaskFailure& failure) {
  shared_.metrics.task_failed(failure.task);
  if (failure.task.empty()) {
    if (failures_said_.allows(net::Clock::now()))
      shared_.log.error("a task failed", {{"error", failure.what}});
    return;
  }
  const auto pause = std::chrono::ceil<std::chrono::seconds>(failure.pause);
  shared_.log.error("a task failed and is started again",
                    {{"task", failure.task},
                     {"error", failure.what},
                     {"after_s", static_cast<std::uint64_t>(pause.count())}});
}

void Worker::listen(https::Port port, https::Connections& connections, net::Acceptor acceptor) {
  auto& service = services_.emplace_back(https::Service{.port = port,
                                                        .connections = connections,
                                                        .handlers = handlers_,
                                                        .places = shared_.places,
                                                        .claims = shared_.claims,
                                                        .health = shared_.health,
                                                        .log = shared_.log,
                                                        .metrics = shared_.metrics});
  auto& listener = listeners_.emplace_back(
      std::move(acceptor), connections, shared_.log,
      [this, &service](net::Socket socket) { start_session(std::move(socket), service); });
  keep("listener", [&listener] { return listener.run(); });
}

void Worker::run() {
  turn();
  shared_.watchdog.ended(number_);
}

// What a handler throws leaves run(), and the context may be run again: a worker that ended would
// leave its connections, and its part of the new ones, without an answer.
void Worker::turn() {
  for (;;) {
    try {
      context_.run();
      return;
    } catch (const std::exception& bug) {  // out of memory, say
      tell(bug);
    }
  }
}

void Worker::tell(const std::exception& bug) {
  try {
    if (bugs_said_.allows(net::Clock::now()))
      shared_.log.error("event loop met an exception", {{"error", bug.what()}});
  } catch (const std::exception&) {  // no memory for a line either
  }
}

void Worker::post(std::function<void()> action) {
  boost::asio::post(context_, std::move(action));
}

void Worker::stop_listening() {
  for (https::Listener& listener : listeners_) listener.stop();
}

void Worker::cancel() {
  tasks_.cancel();
}

net::Task<void> Worker::beat() {
  net::Timer timer(executor());
  for (;;) {
    timer.expires_after(limits::heartbeat);
    const auto [error] = co_await timer.async_wait(net::as_result);
    if (error) co_return;
    shared_.health.beat(number_, net::Clock::now());
    shared_.watchdog.turned(number_);
    for (https::Service& service : services_) service.date.set(std::chrono::system_clock::now());
  }
}

// What it throws is not the listener's: that one goes on.
void Worker::start_session(net::Socket socket, https::Service& service) {
  try {
    if (service.port != https::Port::webhook)
      return spawn(https::serve_plain(std::move(socket), service));
    spawn(https::serve_tls(std::move(socket), shared_.certificate->get(), service));
  } catch (const std::exception& bug) {  // out of memory for a session
    tell(bug);
  }
}

}  // namespace tpuwh::server::app
