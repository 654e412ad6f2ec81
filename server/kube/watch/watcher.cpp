#include "server/kube/watch/watcher.hpp"

#include "server/kube/watch/watch_readers.hpp"
#include "server/net/cancelled.hpp"

#include <utility>
#include <variant>

namespace tpuwh::server::kube::watch {

namespace api = server::limits::api;

Watcher::Watcher(client::Client& client, client::Resource resource, client::Selectors selectors,
                 Sink& sink, log::Log& log)
    : client_(client),
      resource_(std::move(resource)),
      selectors_(std::move(selectors)),
      sink_(sink),
      log_(log),
      fsm_(resource_),
      random_(std::random_device{}()) {}

Tick Watcher::tick() {
  return {net::Clock::now(), std::uniform_real_distribution<double>(0, 1)(random_)};
}

Pulse Watcher::pulse() {
  return {.tick = [this] { return tick(); },
          .moved =
              [this](net::TimePoint now) {
                moved_ = now;
                report();
                sink_.moved(now);
              },
          .passed_over = [this](std::size_t objects) { pass_over(objects); }};
}

WatchStatus Watcher::status() const {
  return {.state = fsm_.state(),
          .trouble = fsm_.trouble(),
          .synced = fsm_.synced(),
          .version = fsm_.version(),
          .moved = moved_,
          .error = fsm_.error(),
          .relists = fsm_.relists(),
          .failures = failures_,
          .passed_over = passed_over_};
}

net::Task<void> Watcher::run() {
  co_await boost::asio::this_coro::throw_if_cancelled(false);
  Step step = fsm_.start(tick());
  for (;;) {
    const bool over = co_await net::cancelled();
    if (over) co_return;
    report();
    const bool failed = !fsm_.error().empty() && fsm_.state() == WatchState::waiting;
    if (failed) ++failures_;
    if (step.note == Note::begin_relist) sink_.begin_relist();
    step = co_await perform(std::move(step.action));
  }
}

net::Task<Step> Watcher::perform(Action action) {
  if (const auto* page = std::get_if<ListPage>(&action)) co_return co_await fetch_page(*page);
  if (const auto* open = std::get_if<OpenWatch>(&action)) co_return co_await follow(*open);
  co_return co_await pause(std::get<Wait>(action));
}

net::Task<Step> Watcher::fetch_page(const ListPage& action) {
  client::ListOptions options;
  options.limit = action.limit;
  options.continue_token = action.continue_token;
  const client::StreamLimits limits{.silence = limits::api::page_silence,
                                    .total = limits::api::page};
  PageReader reader(fsm_, sink_, pulse());
  client::Request request = client::list(resource_, selectors_, options);
  request.purpose = client::Purpose::watch;
  const client::Response response = co_await client_.stream(std::move(request), limits, reader);
  co_return reader.finish(response);
}

net::Task<Step> Watcher::follow(const OpenWatch& action) {
  const client::WatchOptions options{.version = action.version,
                                     .timeout = action.timeout,
                                     .initial_events = action.initial_events};
  const client::StreamLimits limits{.silence = limits::api::watch_silence,
                                    .total = action.timeout + limits::api::watch_margin};
  EventReader reader(fsm_, sink_, pulse());
  client::Request request = client::watch(resource_, selectors_, options);
  request.purpose = client::Purpose::watch;
  const client::Response response = co_await client_.stream(std::move(request), limits, reader);
  co_return reader.finish(response);
}

net::Task<Step> Watcher::pause(const Wait& action) {
  net::Timer timer(client_.executor());
  timer.expires_after(action.time);
  co_await timer.async_wait(net::as_result);
  co_return fsm_.waited(tick());
}

void Watcher::report() {
  const std::string& error = fsm_.error();
  if (error == reported_) return;
  reported_ = error;
  if (error.empty()) {
    log_.info("watching again", {{"resource", resource_.name()}, {"version", fsm_.version()}});
  } else {
    log_.warn("cannot watch", {{"resource", resource_.name()}, {"error", error}});
  }
}

// Said once, and counted: who may write such an object may write it again and again.
void Watcher::pass_over(std::size_t objects) {
  if (passed_over_ == 0)
    log_.warn("an object is too large and was not read",
              {{"resource", resource_.name()}, {"most_bytes", std::uint64_t{api::object_bytes}}});
  passed_over_ += objects;
}

}  // namespace tpuwh::server::kube::watch
