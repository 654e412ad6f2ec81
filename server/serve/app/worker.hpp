// One event loop: its listening sockets, its sessions, its heartbeat.
#pragma once

#include "server/kube/places/claims.hpp"
#include "server/kube/places/places.hpp"
#include "server/log/throttle.hpp"
#include "server/net/task_group.hpp"
#include "server/serve/app/watchdog.hpp"
#include "server/serve/https/handlers.hpp"
#include "server/serve/https/listener.hpp"
#include "server/serve/https/session.hpp"

#include <cstddef>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <utility>

namespace tpuwh::server::app {

// What all event loops share; outlives them. Every part is thread safe.
struct Shared {
  const webhook::config::Config& config;
  const webhook::read::ClusterView& cluster;
  kube::places::Places& places;
  kube::places::Claims& claims;
  https::Health& health;
  log::Log& log;
  metrics::Metrics& metrics;
  Watchdog& watchdog;
  tls::CurrentContext* certificate = nullptr;  // none: only plain ports
};

// Used by the thread that runs it; post() may be called by any.
class Worker {
 public:
  // `number` is the loop's in Health and for the watchdog.
  Worker(const Shared& shared, std::size_t number);

  // Serves `port` on a listening socket. `connections` are all connections of that port. Must be
  // called before run().
  void listen(https::Port port, https::Connections& connections, net::Acceptor acceptor);

  // Turns the loop until every task has ended, or stop().
  void run();

  // A task of this loop; and one that must live, which is started again where it fails.
  void spawn(net::Task<void> task) { tasks_.spawn(executor(), std::move(task)); }
  void keep(std::string name, net::TaskGroup::Make make) {
    tasks_.keep(executor(), std::move(name), std::move(make));
  }

  void post(std::function<void()> action);
  void stop_listening();
  void cancel();                    // every task: run() will return
  void stop() { context_.stop(); }  // run() returns at once; any thread

  net::TaskGroup& tasks() { return tasks_; }
  net::Executor executor() { return context_.get_executor(); }

 private:
  void turn();
  void tell(const std::exception& bug);
  net::Task<void> beat();
  void start_session(net::Socket socket, https::Service& service);
  void say(const net::TaskFailure& failure);

  const Shared shared_;
  const std::size_t number_;
  log::Throttle bugs_said_;
  // Before the context, which destroys the frames of sessions that still run.
  net::TaskGroup tasks_;
  https::Handlers handlers_;
  std::deque<https::Service> services_;  // of each listener's sessions
  boost::asio::io_context context_{1};
  std::deque<https::Listener> listeners_;
  log::Throttle failures_said_;
};

}  // namespace tpuwh::server::app
