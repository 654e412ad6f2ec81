// What the replicas themselves say of their watches, by their metrics.
#include "base/counted.hpp"
#include "kubectl/inspect/doctor/check.hpp"
#include "kubectl/inspect/doctor/commands.hpp"
#include "kubectl/inspect/doctor/metric_lines.hpp"
#include "kubectl/inspect/doctor/settings_of.hpp"
#include "kubectl/print/shell_command.hpp"
#include "server/limits/limits.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

namespace tpuwh::server::doctor {

namespace {

// Why this replica gives no ids; "" if it does.
std::string fault_of(const Replica& replica) {
  for (const MetricLine& line : lines_of(replica, "tpu_webhook_watch_synced"))
    if (line.value == 0) return fmt::format("has not listed all {} yet", line.resource);
  constexpr std::chrono::duration<double> stale = limits::api::stale;
  for (const MetricLine& line : lines_of(replica, "tpu_webhook_watch_age_seconds"))
    if (line.value > stale.count())
      return fmt::format("has received nothing about {} for {:.0f} s", line.resource, line.value);
  return {};
}

double oldest_word(const Replica& replica) {
  double oldest = 0;
  for (const MetricLine& line : lines_of(replica, "tpu_webhook_watch_age_seconds"))
    oldest = std::max(oldest, line.value);
  return oldest;
}

}  // namespace

void check_freshness(const View& view, Checks& out) {
  constexpr auto check = "freshness";
  if (!view.deployment.there() || !features_of(view).ledger) return;
  if (view.replicas.empty())
    return unknown(out, check,
                   view.pods.there() ? "no replica is ready to be asked" : view.pods.why);
  std::vector<std::string> faults, silent;
  std::string faulty, unheard;  // the first of each
  std::size_t fresh = 0;
  double oldest = 0;
  for (const Replica& replica : view.replicas) {
    if (!replica.metrics.there()) {
      if (unheard.empty()) unheard = replica.pod;
      silent.push_back(replica.pod + ": " + replica.metrics.why);
      continue;
    }
    const std::string fault = fault_of(replica);
    if (!fault.empty()) {
      if (faulty.empty()) faulty = replica.pod;
      faults.push_back(replica.pod + ' ' + fault);
      continue;
    }
    ++fresh;
    oldest = std::max(oldest, oldest_word(replica));
  }
  if (!faults.empty())
    warn(out, check,
         fmt::format("{}: Ray workers without index labels get no ids from it",
                     fmt::join(faults, ", ")),
         "for the cause: " + with_note(kubectl(view.ns, "logs " + print::shell_word(faulty)),
                                       "a NetworkPolicy may block it from the API server"));
  if (fresh > 0)
    ok(out, check,
       fmt::format("{} {} the cluster; the last event of the API server is {:.0f} s old",
                   base::counted(fresh, "replica"), fresh == 1 ? "watches" : "watch", oldest));
  if (!silent.empty())
    out.push_back(
        {Verdict::unknown, check, fmt::format("not known: {}", fmt::join(silent, ", ")),
         fmt::format("needs get of pods/proxy and access from the API server to port health; by "
                     "hand: forward that port of Pod {} to yourself, and read /metrics there",
                     unheard)});
}

}  // namespace tpuwh::server::doctor
