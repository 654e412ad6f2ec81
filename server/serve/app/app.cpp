#include "server/serve/app/app.hpp"

#include "server/kube/access/api_config.hpp"
#include "server/kube/cluster/cluster.hpp"
#include "server/kube/places/places.hpp"
#include "server/limits/connections.hpp"
#include "server/limits/memory.hpp"
#include "server/net/thread.hpp"
#include "server/serve/app/cluster_metrics.hpp"
#include "server/serve/app/drain.hpp"
#include "server/serve/app/worker.hpp"
#include "server/serve/metrics/process.hpp"
#include "server/settings/usage_error.hpp"
#include "server/text/version.hpp"
#include "server/tls/clients.hpp"
#include "server/tls/expiry.hpp"
#include "server/tls/reloader.hpp"

#include <fmt/format.h>
#include <malloc.h>
#include <sys/resource.h>
#include <unistd.h>

#include <boost/asio/buffer.hpp>
#include <boost/asio/posix/basic_stream_descriptor.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace tpuwh::server::app {
namespace {

constexpr std::string_view renewal =
    "write a new certificate and key into the files of --tls-cert and --tls-key";

using Descriptor = boost::asio::posix::basic_stream_descriptor<net::Executor>;

net::Address address_of_flag(const char* flag, const std::string& text) {
  const auto address = net::parse_address(text);
  if (!address) {
    throw std::runtime_error(fmt::format(
        "{} \"{}\": expected ADDR:PORT, such as 0.0.0.0:8443, [::1]:8443 or :8443", flag, text));
  }
  return *address;
}

// Every connection is an open file, and the usual soft limit is 1,024. How many may be open now.
std::size_t raise_file_limit(unsigned loops) {
  const rlim_t needed = limits::connections + limits::plain_ports * limits::plain_connections +
                        limits::own_files + (loops + 1) * limits::loop_files;
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= needed) return needed;
  const rlim_t before = limit.rlim_cur;
  limit.rlim_cur = std::min(limit.rlim_max, needed);
  return setrlimit(RLIMIT_NOFILE, &limit) == 0 ? limit.rlim_cur : before;
}

// Makes free() return large blocks to the kernel. By default, glibc keeps the memory of a freed
// block if an earlier block of that size was freed: 1,000 request bodies of 250 KiB stayed resident
// until the process ended.
void return_large_blocks() {
  mallopt(M_MMAP_THRESHOLD, 128 << 10);
  // Lets each malloc arena keep up to 1 MiB of free memory. Otherwise malloc would return the
  // memory of request bodies of tens of KB to the kernel, and map it again for the next bodies.
  mallopt(M_TRIM_THRESHOLD, 1 << 20);
}

// Returns `config` with the host name as the name of this replica. Answers to probes contain this
// name (webhook/answer/probe.hpp). In a Pod, the kubelet sets the Pod's name as the host name.
//   source  https://kubernetes.io/docs/concepts/workloads/pods/pod-hostname/ (read 2026-11)
webhook::config::Config named(webhook::config::Config config) {
  std::array<char, HOST_NAME_MAX + 1> name{};
  if (gethostname(name.data(), name.size() - 1) == 0) config.replica = name.data();
  return config;
}

// Returns the configuration for access to the API server. Returns nullopt if no feature reads the
// cluster, or if the server runs outside a Pod and neither `--claims` nor `--ledger cluster` is set
// (both require an API server). Otherwise throws an error if an environment variable or a file for
// this access is missing. The message explains how to serve without an API server.
std::optional<kube::access::ApiConfig> find_cluster(const settings::ServeOptions& options,
                                                    const kube::cluster::Features& features) {
  if (!features.any()) return std::nullopt;
  const bool required =
      features.claims || (features.ledger && options.ledger == settings::LedgerKind::cluster);
  const auto access = kube::access::PodAccess::from_environment(options.service_account);
  if (!required && !access.in_cluster()) return std::nullopt;
  auto config = kube::access::in_cluster_config(access);
  if (!config)
    throw std::runtime_error(
        fmt::format("{}; to serve without an API server, pass --ledger none, "
                    "--no-placement-hint and --no-followers, and omit --claims",
                    config.error().message()));
  return std::move(*config);
}

std::unique_ptr<webhook::ledger::Ledger> ledger_without_cluster(settings::LedgerKind kind) {
  if (kind == settings::LedgerKind::none)
    return std::make_unique<webhook::ledger::NoLedger>(
        "label ray.io/worker-group-replica-index is missing or empty, and this server assigns no "
        "ids (--ledger none); enable KubeRay's feature gate RayMultiHostIndexing, "
        "or serve with --ledger cluster");
  return std::make_unique<webhook::ledger::MemoryLedger>();
}

// Where the server listens; empty for nowhere.
struct Ports {
  std::string webhook;
  std::string health;
  std::string metrics;
};

// Whether two listeners would share connections, which the kernel then spreads over them.
bool same_place(const net::Address& one, const net::Address& other) {
  return one.port != 0 && one.port == other.port &&
         (one.host == other.host || one.host.empty() || other.host.empty());
}

// The connections of one port without TLS. Each port has its own limits, so that callers of the
// metrics cannot take the places of the probes.
struct PlainPort {
  explicit PlainPort(std::size_t files)
      : load(limits::plain_connections_of(files), limits::plain_connections_of(files),
             limits::plain_connections * limits::usual_body_bytes) {}
  https::Load load;
  https::Connections connections{load};
};

class App {
 public:
  App(const settings::ServeOptions& options, Watchdog& watchdog)
      : options_(options),
        watchdog_(watchdog),
        log_(options.log_format, options.log_level),
        health_(options.threads + 1),
        clients_(open_clients()),
        files_of_certificate_(options.tls_cert, options.tls_key),
        certificate_(tls::make_empty_context()),
        cluster_config_(find_cluster(options, features_)) {
    health_.set_certificate_end({});
    for (unsigned number = 1; number <= options_.threads; ++number) {
      workers_.push_back(std::make_unique<Worker>(shared_, number));
    }
  }

  int run() {
    look_at_certificate(std::chrono::system_clock::now());
    say_listening(open_ports());
    add_metrics();
    control_.keep("signals", [this] { return watch_signals(); });
    control_.keep("certificate-files", [this] { return watch_certificate(); });
    connect_cluster();
    auto threads = start_threads();
    watchdog_.begin();
    health_.set_serving();
    control_.run();
    threads.clear();  // joins; before disconnect(), since sessions ask the cluster
    cluster_.disconnect();
    log_.info("stopped");
    return exit_code_;
  }

 private:
  // --- start ---

  // Returns the result of `open`, a function that reads files whose paths are settings. If `open`
  // throws because a file cannot be used, throws UsageError instead, as for a wrong setting.
  template <class Open>
  static auto from_named_files(const Open& open) {
    try {
      return open();
    } catch (const std::runtime_error& failure) {
      throw settings::UsageError(failure.what());
    }
  }

  std::unique_ptr<tls::Clients> open_clients() const {
    if (options_.tls_client_ca.empty()) return nullptr;
    return from_named_files([&] {
      return std::make_unique<tls::Clients>(options_.tls_client_ca, options_.tls_client_names);
    });
  }

  // Adds the check of client certificates to `context`, if this check is on, and returns `context`.
  tls::ContextPtr guarded(tls::ContextPtr context) const {
    if (clients_) clients_->guard(context->ssl.native_handle());
    return context;
  }

  // Returns what the log should say of them.
  Ports open_ports() {
    return_large_blocks();
    Ports ports;
    net::Acceptor reviews = https::open_acceptor(workers_.front()->executor(),
                                                 address_of_flag("--listen", options_.listen));
    https::await_first_byte(reviews);
    ports.webhook = https::to_text(reviews.local_endpoint());
    for (auto& worker : workers_)
      worker->listen(https::Port::webhook, connections_,
                     https::share_acceptor(worker->executor(), reviews));
    if (!options_.health_listen.empty()) {
      const auto port = options_.health_metrics ? https::Port::health : https::Port::probes;
      ports.health = listen_plain(port, health_port_.connections,
                                  address_of_flag("--health-listen", options_.health_listen));
    }
    if (!options_.metrics_listen.empty()) {
      ports.metrics =
          listen_plain(https::Port::metrics, metrics_port_.connections, metrics_place());
    }
    return ports;
  }

  // Serves a port without TLS, and returns the address on which the server listens.
  std::string listen_plain(https::Port port, https::Connections& connections,
                           const net::Address& address) {
    net::Acceptor acceptor = https::open_acceptor(control_.executor(), address);
    std::string place = https::to_text(acceptor.local_endpoint());
    control_.listen(port, connections, std::move(acceptor));
    return place;
  }

  // Returns the address at which metrics are served. Throws UsageError if reviews or health probes
  // are served at the same address.
  net::Address metrics_place() const {
    const auto place = address_of_flag("--metrics-listen", options_.metrics_listen);
    for (const auto& [flag, other] : {std::pair("--listen", options_.listen),
                                      std::pair("--health-listen", options_.health_listen)}) {
      if (!other.empty() && same_place(place, address_of_flag(flag, other)))
        throw settings::UsageError(fmt::format("--metrics-listen \"{}\": {} has that port",
                                               options_.metrics_listen, flag));
    }
    return place;
  }

  // All or none: loops that turn would be waited for by whoever lets go of them.
  std::vector<std::jthread> start_threads() {
    std::vector<std::jthread> threads;
    try {
      for (std::size_t i = 0; i < workers_.size(); ++i) {
        threads.push_back(net::start_thread(fmt::format("reviews {}", i + 1),
                                            [&worker = *workers_[i]] { worker.run(); }));
      }
      threads.push_back(net::start_thread(
          "sweep", [this](const std::stop_token& over) { sweep_connections(over); }));
    } catch (const std::runtime_error&) {
      for (auto& worker : workers_) worker->stop();
      throw;
    }
    return threads;
  }

  void say_listening(const Ports& ports) {
    log_.info("listening", {{"address", ports.webhook},
                            {"health", ports.health},
                            {"metrics", ports.metrics},
                            {"certificate", options_.tls_cert},
                            {"threads", std::uint64_t{options_.threads}},
                            {"version", text::version}});
  }

  void connect_cluster() {
    if (!cluster_config_) return;
    health_.await_cluster();
    cluster_.connect(control_.executor(), control_.tasks(), *cluster_config_, log_,
                     {.synced =
                          [this] {
                            log_.info("cluster listed");
                            health_.set_synced();
                          },
                      .off = [this](const std::string& off) { health_.set_off(off); }});
  }

  // Asked for on the loop of the cluster's client.
  void add_metrics() {
    metrics_.add([](metrics::Samples& out) {
      out.gauge("tpu_webhook_build_info", "1, with the version", 1,
                {{"version", std::string(text::version)}});
    });
    metrics_.add([this](metrics::Samples& out) { load_metrics(out); });
    metrics_.add(metrics::process_metrics);
    if (!cluster_config_) return;
    metrics_.add([this](metrics::Samples& out) {
      cluster_metrics(cluster_.status(), net::Clock::now(), out);
    });
  }

  void load_metrics(metrics::Samples& out) const {
    const auto now = std::chrono::system_clock::now();
    const auto end = health_.certificate_end().time_since_epoch();
    out.gauge("tpu_webhook_ready", "1 if /readyz says yes",
              health_.why_not_ready(now).empty() ? 1 : 0);
    out.gauge("tpu_webhook_certificate_not_after_timestamp_seconds",
              "End of the serving certificate in seconds since 1970",
              std::chrono::duration<double>(end).count());
    out.gauge("tpu_webhook_connections", "Open connections of the webhook's port",
              static_cast<double>(load_.connections.used()));
    out.gauge("tpu_webhook_connections_limit", "Maximum number of connections at a time",
              static_cast<double>(load_.connections.cap()));
    const auto closed = [&out](const char* port, const https::Connections& connections) {
      out.counter("tpu_webhook_connections_closed_for_others_total",
                  "Connections that were closed because a caller waited for a place",
                  static_cast<double>(connections.closed_for_others()), {{"port", port}});
    };
    closed("reviews", connections_);
    closed("health", health_port_.connections);
    closed("metrics", metrics_port_.connections);
    out.gauge("tpu_webhook_held_bytes", "Bodies and unread answers that connections hold",
              static_cast<double>(load_.held_bytes.used()));
    const auto bound = [&out](const char* of, std::size_t bytes) {
      out.gauge("tpu_webhook_memory_bound_bytes",
                "Maximum of resident memory: by itself, for callers, for 100,000 Pods",
                static_cast<double>(bytes), {{"of", of}});
    };
    bound("program", limits::memory::program);
    bound("callers", limits::memory::callers(options_.threads));
    bound("cluster", limits::memory::cluster);
    out.gauge("tpu_webhook_handshakes_in_progress", "TLS handshakes that have not ended",
              static_cast<double>(load_.handshakes.used()));
  }

  // --- run ---

  // On a thread of its own: a limit holds although an event loop is busy.
  void sweep_connections(const std::stop_token& over) {
    while (!over.stop_requested()) {
      std::this_thread::sleep_for(limits::sweep);
      connections_.sweep(net::Clock::now());
      for (PlainPort* port : {&health_port_, &metrics_port_})
        port->connections.sweep(net::Clock::now());
    }
  }

  // Bytes that the watchdog writes: signal numbers.
  net::Task<void> watch_signals() {
    Descriptor signals(control_.executor(), ::dup(watchdog_.signals()));
    std::array<unsigned char, 16> numbers{};
    for (;;) {
      const auto [error, count] =
          co_await signals.async_read_some(boost::asio::buffer(numbers), net::as_result);
      if (error) co_return;
      for (std::size_t i = 0; i < count; ++i) hear(numbers[i]);
    }
  }

  void hear(int number) {
    if (number == SIGHUP) {
      return log_.info(
          "SIGHUP changes nothing: certificate files are watched, settings need a restart");
    }
    log_.info("signal", {{"name", number == SIGTERM ? "SIGTERM" : "SIGINT"}});
    perform(drain_.on(Drain::Event::signal));
  }

  // Checks at intervals of limits::certificate_poll whether the certificate files were replaced.
  net::Task<void> watch_certificate() {
    net::Timer timer(control_.executor());
    for (;;) {
      timer.expires_after(limits::certificate_poll);
      const auto [error] = co_await timer.async_wait(net::as_result);
      if (error) co_return;
      try {
        look_at_certificate(std::chrono::system_clock::now());
      } catch (
          const std::exception& bug) {  // such as bad_alloc; the check is repeated a second later
        log_.error("cannot check the certificate", {{"error", bug.what()}});
      }
    }
  }

  void look_at_certificate(tls::SystemTime now) {
    look_at_clients();
    if (auto change = files_of_certificate_.poll(now)) use(*change);
    if (!has_certificate()) return;
    const auto served = certificate_.get();
    const std::string end = tls::to_text(served->not_after);
    using Word = tls::Expiry::Word;
    switch (expiry_.look(served->not_before, served->not_after, now)) {
      case Word::none:
        return;
      case Word::ends_soon:
        return log_.warn("certificate expires soon", {{"not_after", end}, {"renewal", renewal}});
      case Word::expired:
        return log_.error("certificate expired; the server is not ready and callers refuse it",
                          {{"not_after", end}, {"renewal", renewal}});
      case Word::good_again:
        return log_.info("certificate is good again", {{"not_after", end}});
    }
  }

  void look_at_clients() {
    const auto change = clients_ ? clients_->poll() : std::nullopt;
    if (!change) return;
    if (change->error.empty()) return log_.info("CAs of callers replaced");
    log_.error("CAs of callers not replaced; the server keeps using the old ones",
               {{"error", change->error}});
  }

  bool has_certificate() const { return health_.certificate_end() != tls::SystemTime(); }

  void use(const tls::Reloader::Change& change) {
    if (change.context == nullptr) {
      log_.error(has_certificate() ? "certificate not replaced; the server keeps using the old one"
                                   : "no certificate yet; the server is not ready and waits for "
                                     "usable files of --tls-cert and --tls-key",
                 {{"error", change.error}});
      return;
    }
    log_.info(has_certificate() ? "certificate replaced" : "certificate loaded",
              {{"not_after", tls::to_text(change.context->not_after)}});
    certificate_.set(guarded(change.context));
    health_.set_certificate_end(change.context->not_after);
  }

  // --- end ---

  // Performs one action of the shutdown. An exception of the action is only logged, because it
  // would otherwise end the task that starts the next actions. If a failed action keeps the process
  // from ending, the watchdog ends the process.
  void perform(Drain::Action action) {
    try {
      act(action);
    } catch (const std::exception& bug) {  // out of memory, say
      log_.error("while ending", {{"error", bug.what()}});
    }
  }

  void act(Drain::Action action) {
    switch (action) {
      case Drain::Action::none:
        return;
      case Drain::Action::announce:
        return announce();
      case Drain::Action::stop_accepting:
        return stop_accepting();
      case Drain::Action::cut:
        cut();
        [[fallthrough]];
      case Drain::Action::finish:
        return finish();
      case Drain::Action::exit_now:
        return exit_now();
    }
  }

  void announce() {
    log_.info("draining");
    health_.set_draining();
    control_.spawn(after(options_.drain_delay, Drain::Event::delay_over));
  }

  void stop_accepting() {
    log_.info("no new connections", {{"connections", std::uint64_t{load_.connections.used()}}});
    open_ports_ = workers_.size();
    on_every_worker([this](Worker& worker) {
      worker.stop_listening();
      --open_ports_;
    });
    connections_.stop_idling();
    control_.spawn(after(options_.drain_timeout, Drain::Event::time_over));
    control_.spawn(watch_connections());
  }

  void cut() {
    log_.warn("drain timeout", {{"connections", std::uint64_t{load_.connections.used()}}});
    connections_.close_all();
  }

  void finish() {
    on_every_worker([](Worker& worker) { worker.cancel(); });
    control_.cancel();
  }

  void exit_now() {
    log_.warn("second signal: not waiting");
    exit_code_ = 1;
    for (auto& worker : workers_) worker->stop();
    control_.stop();
  }

  net::Task<void> after(std::chrono::milliseconds delay, Drain::Event event) {
    net::Timer timer(control_.executor(), delay);
    const auto [error] = co_await timer.async_wait(net::as_result);
    if (!error) perform(drain_.on(event));
  }

  net::Task<void> watch_connections() {
    net::Timer timer(control_.executor());
    for (;;) {
      timer.expires_after(limits::drain_poll);
      const auto [error] = co_await timer.async_wait(net::as_result);
      if (error) co_return;
      const bool all_gone = open_ports_ == 0 && load_.connections.used() == 0;
      if (all_gone) perform(drain_.on(Drain::Event::connections_gone));
    }
  }

  template <class Action>
  void on_every_worker(Action action) {
    for (auto& worker : workers_) {
      worker->post([&target = *worker, action] { action(target); });
    }
  }

  const settings::ServeOptions& options_;
  const webhook::config::Config config_ = named(options_.webhook);
  Watchdog& watchdog_;
  log::Log log_;
  https::Health health_;
  metrics::Metrics metrics_;
  const std::size_t files_ = raise_file_limit(options_.threads);
  https::Load load_{limits::connections_of(files_, options_.threads), limits::handshakes,
                    limits::held_bytes};
  https::Connections connections_{load_};
  PlainPort health_port_{files_}, metrics_port_{files_};
  const std::unique_ptr<tls::Clients> clients_;
  tls::Reloader files_of_certificate_;
  tls::CurrentContext certificate_;
  tls::Expiry expiry_;
  const kube::cluster::Features features_ =
      kube::cluster::features_of(options_.webhook, settings::uses_cluster(options_.ledger));
  const std::optional<kube::access::ApiConfig> cluster_config_;
  webhook::read::NoCluster no_cluster_;
  kube::places::PlacesAtOnce own_places_{ledger_without_cluster(options_.ledger)};
  kube::places::NoClaims no_claims_;
  kube::cluster::Cluster cluster_{options_.webhook.prefix, features_};
  const Shared shared_{
      .config = config_,
      .cluster = cluster_config_ ? cluster_.view() : no_cluster_,
      .places = cluster_config_ && features_.ledger ? static_cast<kube::places::Places&>(cluster_)
                                                    : own_places_,
      .claims = cluster_config_ ? static_cast<kube::places::Claims&>(cluster_) : no_claims_,
      .health = health_,
      .log = log_,
      .metrics = metrics_,
      .watchdog = watchdog_,
      .certificate = &certificate_};
  std::vector<std::unique_ptr<Worker>> workers_;
  // Loop 0, run by the calling thread.
  Worker control_{shared_, 0};
  Drain drain_;
  std::atomic<std::size_t> open_ports_{0};
  int exit_code_ = 0;
};

}  // namespace

int run_serve(const settings::ServeOptions& options) {
  if (options.tls_cert.empty())
    throw settings::UsageError(
        "serve needs a certificate: pass --tls-cert FILE and --tls-key FILE; for a trial, make "
        "both: "
        "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 30 "
        "-subj /CN=localhost -addext subjectAltName=DNS:localhost -keyout tls.key -out tls.crt");
  // First, before any thread; and last, since an end may hang as well.
  Watchdog watchdog(options.log_format, options.threads + 1,
                    options.drain_delay + options.drain_timeout);
  return App(options, watchdog).run();
}

}  // namespace tpuwh::server::app
