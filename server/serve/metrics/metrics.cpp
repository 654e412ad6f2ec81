#include "server/serve/metrics/metrics.hpp"

#include <prometheus/counter.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <set>
#include <sstream>
#include <tuple>

namespace tpuwh::server::metrics {

namespace {

using prometheus::ClientMetric;
using prometheus::Counter;
using prometheus::Family;
using prometheus::Histogram;
using prometheus::MetricFamily;
using prometheus::MetricType;

// From a review without TPUs (5 us) to one that waits for a core.
const Histogram::BucketBoundaries decision_seconds = {0.00001, 0.000025, 0.00005, 0.0001, 0.00025,
                                                      0.0005,  0.001,    0.005,   0.025,  0.1};

// From one write of a local etcd to limits::api::ledger_wait.
const Histogram::BucketBoundaries ledger_seconds = {0.0025, 0.005, 0.01, 0.025, 0.05, 0.1,
                                                    0.25,   0.5,   1,    2.5,   6};

double seconds(Metrics::Duration time) {
  return std::chrono::duration<double>(time).count();
}

std::string_view name(Metrics::Webhook webhook) {
  return webhook == Metrics::Webhook::mutate ? "mutate" : "validate";
}

// What the ledger said, for a person who wants to know whether to act: `full` ends when members
// go, `unavailable` when the API server answers again.
std::string_view name_of(const webhook::ledger::PlaceAnswer& answer) {
  using Kind = webhook::ledger::PlaceAnswer::Kind;
  if (answer.kind == Kind::given) return "given";
  if (answer.kind == Kind::refused) return "refused";
  return answer.retry_now ? "unavailable" : "full";
}

// The samples of a scrape, in the order in which they came.
class Families final : public Samples {
 public:
  explicit Families(std::vector<MetricFamily>& out) : out_(out) {}

  void add(Type type, std::string_view name, std::string_view help, double value,
           Labels labels) override {
    MetricFamily& family = family_of(type, name, help);
    ClientMetric& metric = family.metric.emplace_back();
    for (auto& [label, word] : labels) metric.label.push_back({std::move(label), std::move(word)});
    if (type == Type::counter)
      metric.counter.value = value;
    else
      metric.gauge.value = value;
  }

 private:
  MetricFamily& family_of(Type type, std::string_view name, std::string_view help) {
    const auto known = std::ranges::find(out_, name, &MetricFamily::name);
    if (known != out_.end()) return *known;
    const auto kind = type == Type::counter ? MetricType::Counter : MetricType::Gauge;
    return out_.emplace_back(
        MetricFamily{std::string(name), std::string(help), kind, std::vector<ClientMetric>()});
  }

  std::vector<MetricFamily>& out_;
};

}  // namespace

struct Metrics::Impl {
  // Which counter a review belongs to. The view is of a name in `workloads`.
  using Kind = std::tuple<Webhook, webhook::outcome::Outcome, webhook::outcome::Reason, bool,
                          std::string_view>;

  Counter& counter_of(Webhook webhook, const webhook::outcome::Summary& summary) {
    const Kind kind(webhook, summary.outcome, summary.reason, summary.shadow, summary.workload);
    const std::lock_guard lock(mutex);
    if (const auto known = reviews_of.find(kind); known != reviews_of.end()) return *known->second;
    const std::string& workload = *workloads.emplace(summary.workload).first;
    Counter& counter =
        reviews.Add({{"webhook", std::string(name(webhook))},
                     {"mode", summary.shadow ? "shadow" : "enforce"},
                     {"workload", workload},
                     {"outcome", std::string(webhook::outcome::name(summary.outcome))},
                     {"reason", std::string(webhook::outcome::name(summary.reason))}});
    reviews_of.emplace(Kind(webhook, summary.outcome, summary.reason, summary.shadow, workload),
                       &counter);
    return counter;
  }

  prometheus::Registry registry;
  Family<Counter>& reviews = prometheus::BuildCounter()
                                 .Name("tpu_webhook_reviews_total")
                                 .Help("Reviews answered, by decision and reason")
                                 .Register(registry);
  Family<Histogram>& durations =
      prometheus::BuildHistogram()
          .Name("tpu_webhook_review_duration_seconds")
          .Help("Time to read, decide and answer a review, without network and ledger")
          .Register(registry);
  Histogram& mutating = durations.Add({{"webhook", "mutate"}}, decision_seconds);
  Histogram& validating = durations.Add({{"webhook", "validate"}}, decision_seconds);
  Family<Histogram>& places = prometheus::BuildHistogram()
                                  .Name("tpu_webhook_ledger_answer_duration_seconds")
                                  .Help("Time a review waited for the ledger, by its answer")
                                  .Register(registry);
  Family<Counter>& refusals = prometheus::BuildCounter()
                                  .Name("tpu_webhook_requests_refused_total")
                                  .Help("Requests refused before a review was read, by HTTP status")
                                  .Register(registry);
  Counter& hinted =
      prometheus::BuildCounter()
          .Name("tpu_webhook_placement_hints_total")
          .Help("Pods with a preference against node pools that cannot hold their whole slice")
          .Register(registry)
          .Add({});
  Counter& failed_handshakes = prometheus::BuildCounter()
                                   .Name("tpu_webhook_handshakes_failed_total")
                                   .Help("TLS handshakes that failed")
                                   .Register(registry)
                                   .Add({});

  Family<Counter>& task_failures =
      prometheus::BuildCounter()
          .Name("tpu_webhook_task_failures_total")
          .Help("Exceptions that ended a task; a task that must live is restarted")
          .Register(registry);

  std::mutex mutex;
  std::map<Kind, Counter*> reviews_of;
  std::set<std::string, std::less<>> workloads;  // a node never moves

  std::vector<Source> sources;
};

// What has not failed yet is there as 0.
Metrics::Metrics() : impl_(std::make_unique<Impl>()) {
  impl_->task_failures.Add({{"task", "other"}});
}
Metrics::~Metrics() = default;

void Metrics::add(Source source) {
  impl_->sources.push_back(std::move(source));
}

void Metrics::review(Webhook webhook, const webhook::outcome::Summary& summary, Duration took) {
  impl_->counter_of(webhook, summary).Increment();
  if (summary.unfit_pools > 0 && !summary.shadow) impl_->hinted.Increment();
  (webhook == Webhook::mutate ? impl_->mutating : impl_->validating).Observe(seconds(took));
}

void Metrics::place(const webhook::ledger::PlaceAnswer& answer, Duration took) {
  impl_->places.Add({{"answer", std::string(name_of(answer))}}, ledger_seconds)
      .Observe(seconds(took));
}

void Metrics::refused(unsigned status) {
  impl_->refusals.Add({{"status", std::to_string(status)}}).Increment();
}

void Metrics::handshake_failed() {
  impl_->failed_handshakes.Increment();
}

void Metrics::task_failed(std::string_view task) {
  const std::string name = task.empty() ? "other" : std::string(task);
  impl_->task_failures.Add({{"task", name}}).Increment();
}

std::string Metrics::text() const {
  std::vector<MetricFamily> families = impl_->registry.Collect();
  Families samples(families);
  for (const Source& source : impl_->sources) source(samples);
  std::ostringstream out;
  prometheus::TextSerializer().Serialize(out, families);
  return std::move(out).str();
}

}  // namespace tpuwh::server::metrics
