#include "server/serve/app/cluster_metrics.hpp"

#include <charconv>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>

namespace tpuwh::server::app {

namespace {

// A resourceVersion: etcd's revision in decimal, which a double holds up to 2^53.
std::optional<double> number(const std::string& version) {
  double value = 0;
  const char* const end = version.data() + version.size();
  const auto [stopped, error] = std::from_chars(version.data(), end, value);
  if (error != std::errc() || stopped != end) return std::nullopt;
  return value;
}

void watch_metrics(const kube::cluster::ClusterStatus::Watch& watch, net::TimePoint now,
                   metrics::Samples& out) {
  const kube::watch::WatchStatus& status = watch.status;
  const metrics::Samples::Labels resource = {{"resource", std::string(watch.resource)}};
  out.gauge("tpu_webhook_watch_synced", "1 once all objects of the resource have been listed",
            status.synced ? 1 : 0, resource);
  out.gauge("tpu_webhook_watch_forbidden",
            "1 while the resource may not be read: functions that need it are off",
            status.trouble == kube::watch::Trouble::forbidden ? 1 : 0, resource);
  if (status.synced)
    out.gauge("tpu_webhook_watch_age_seconds",
              "Time since the watch brought an event or a bookmark; bookmarks come about every "
              "minute",
              std::chrono::duration<double>(now - status.moved).count(), resource);
  if (const auto position = number(status.version))
    out.gauge("tpu_webhook_watch_resource_version",
              "resourceVersion of the last event, bookmark or list", *position, resource);
  out.counter("tpu_webhook_watch_relists_total", "Times that all objects had to be listed again",
              status.relists, resource);
  out.counter("tpu_webhook_watch_failures_total", "Lists and watches that failed", status.failures,
              resource);
  out.counter("tpu_webhook_watch_passed_over_total",
              "Objects larger than 2 MiB as JSON, which were not read",
              static_cast<double>(status.passed_over), resource);
  out.gauge("tpu_webhook_store_objects", "Objects kept in memory",
            static_cast<double>(watch.objects), resource);
}

using Results = std::initializer_list<std::pair<const char*, std::uint64_t>>;

void counters(const char* name, const char* help, const Results& results, metrics::Samples& out) {
  for (const auto& [result, count] : results)
    out.counter(name, help, static_cast<double>(count), {{"result", result}});
}

void ledger_metrics(const kube::cluster::LedgerStatus& ledger, metrics::Samples& out) {
  out.gauge("tpu_webhook_ledger_groups", "Worker groups whose ledger this replica follows",
            static_cast<double>(ledger.groups));
  out.gauge("tpu_webhook_ledger_places", "Places assigned in those groups",
            static_cast<double>(ledger.entries));
  out.gauge("tpu_webhook_ledger_stalled_seconds",
            "Time since the group that has waited longest asked for a place and got no answer out "
            "of its record; 0 if none waits",
            std::chrono::duration<double>(ledger.stalled).count());
  counters("tpu_webhook_ledger_writes_total",
           "Writes of ledger objects; a conflict is a race that another replica won",
           {{"written", ledger.written}, {"conflict", ledger.conflicts}, {"failed", ledger.failed}},
           out);
}

}  // namespace

void cluster_metrics(const kube::cluster::ClusterStatus& status, net::TimePoint now,
                     metrics::Samples& out) {
  for (const auto& watch : status.watches)
    if (watch.status.trouble != kube::watch::Trouble::not_served) watch_metrics(watch, now, out);
  if (status.ledger) ledger_metrics(*status.ledger, out);
  if (status.claims)
    counters("tpu_webhook_claim_reads_total",
             "Resource claims and templates that were read because a Pod waited for them",
             {{"read", status.claims->read},
              {"absent", status.claims->absent},
              {"failed", status.claims->failed}},
             out);
}

}  // namespace tpuwh::server::app
