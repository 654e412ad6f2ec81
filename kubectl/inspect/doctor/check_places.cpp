// Whether Ray workers that need a place get one, by the metrics of the replicas.
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
#include <optional>
#include <string>
#include <vector>

namespace tpuwh::server::doctor {

namespace {

// How long a group has waited at this replica; nothing where it does not say: it asks no API
// server, is of an older release, or was not reached.
std::optional<double> waited(const Replica& replica) {
  const auto lines = lines_of(replica, "tpu_webhook_ledger_stalled_seconds");
  return lines.empty() ? std::nullopt : std::optional(lines.front().value);
}

}  // namespace

void check_places(const View& view, Checks& out) {
  constexpr auto check = "places";
  constexpr std::chrono::duration<double> longest = limits::api::stalled;
  std::vector<std::string> stalled;
  std::string first;
  std::size_t told = 0;
  for (const Replica& replica : view.replicas) {
    const auto time = waited(replica);
    if (!time) continue;
    ++told;
    if (*time <= longest.count()) continue;
    if (first.empty()) first = replica.pod;
    stalled.push_back(fmt::format("{}: {:.0f} s", replica.pod, *time));
  }
  if (!stalled.empty())
    return fail(
        out, check,
        fmt::format("a worker group waits for a place that the ledger does not give ({})",
                    fmt::join(stalled, ", ")),
        with_note(
            kubectl(view.ns, fmt::format("logs {} | grep msg=ledger", print::shell_word(first))),
            "shows the reason; docs/operations.md, \"Ray workers get no ids\", has the remedies"));
  if (told == 0 && view.deployment.there() && features_of(view).ledger) {
    const auto silent = std::ranges::find_if(
        view.replicas, [](const Replica& each) { return !each.metrics.there(); });
    return unknown(out, check,
                   silent != view.replicas.end() ? silent->metrics.why
                   : !view.pods.there()          ? view.pods.why
                   : view.replicas.empty()       ? "no replica is ready to be asked"
                                           : "no replica reports it: they are of an older release");
  }
  if (told > 0)
    ok(out, check,
       fmt::format("no worker group waits for a place, according to {}",
                   base::counted(told, "replica")));
}

}  // namespace tpuwh::server::doctor
