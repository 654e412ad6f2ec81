// What Prometheus reads at GET /metrics of the health port, or of the metrics' own.
//
// Counts are kept as things happen, on any thread. What others know better, such as the age of
// a watch, is asked of them at each scrape. Names, units and meanings: docs/operations.md,
// "Metrics". No label has a value that a caller could choose.
#pragma once

#include "webhook/ledger/ledger.hpp"
#include "webhook/outcome/summary.hpp"

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tpuwh::server::metrics {

// Values asked for at a scrape: each becomes a line, those of one name a family.
class Samples {
 public:
  virtual ~Samples() = default;

  using Labels = std::vector<std::pair<std::string, std::string>>;
  enum class Type { counter, gauge };

  // `help` is that of the name's first sample.
  virtual void add(Type type, std::string_view name, std::string_view help, double value,
                   Labels labels = {}) = 0;

  void gauge(std::string_view name, std::string_view help, double value, Labels labels = {}) {
    add(Type::gauge, name, help, value, std::move(labels));
  }
  void counter(std::string_view name, std::string_view help, double value, Labels labels = {}) {
    add(Type::counter, name, help, value, std::move(labels));
  }
};

// Thread safe, but for add().
class Metrics {
 public:
  using Duration = std::chrono::nanoseconds;
  // On the thread that scrapes.
  using Source = std::function<void(Samples& out)>;
  enum class Webhook { mutate, validate };

  Metrics();
  ~Metrics();

  // Before the first scrape. `source` is called at each of them.
  void add(Source source);

  // A review was answered; `took` is without waiting for the ledger.
  void review(Webhook webhook, const webhook::outcome::Summary& summary, Duration took);
  // The ledger was asked.
  void place(const webhook::ledger::PlaceAnswer& answer, Duration took);
  // A request was refused before a review was read.
  void refused(unsigned status);
  void handshake_failed();
  // An exception has left a task; `task` is of a fixed set, "" for one that is not kept.
  void task_failed(std::string_view task);

  // Text exposition format 0.0.4.
  std::string text() const;
  static constexpr std::string_view content_type = "text/plain; version=0.0.4; charset=utf-8";

 private:
  struct Impl;
  const std::unique_ptr<Impl> impl_;
};

}  // namespace tpuwh::server::metrics
