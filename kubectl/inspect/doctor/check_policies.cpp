// Who is refused while nobody answers, and how long an API server waits.
#include "kubectl/inspect/doctor/check.hpp"
#include "kubectl/inspect/doctor/commands.hpp"
#include "kubectl/inspect/doctor/entries.hpp"
#include "kubectl/inspect/doctor/settings_of.hpp"
#include "server/limits/limits.hpp"
#include "server/text/json_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

namespace tpuwh::server::doctor {

namespace {

constexpr auto policy_line = "failure-policy";
// What the chart writes for Pods that are never changed.
constexpr long watched_seconds = 2;

// What an API server takes where nothing is said is 10.
long timeout_of(const Json& entry) {
  const Json& seconds = text::member(entry, "timeoutSeconds");
  return seconds.is_number_integer() ? seconds.get<long>() : 10;
}

// Whether the ledger may be asked about Pods of an entry: those of Ray have their own, or are among
// all others.
bool asks_ledger(const View& view, const Json& entry) {
  const std::string workload = workload_of(entry);
  if (workload != "pod") return workload == "ray";
  const auto all = handled(view);
  const auto of_ray = [](const Json& each) { return workload_of(each) == "ray"; };
  return std::ranges::find(all, "ray") != all.end() &&
         std::ranges::none_of(entries_of(view.configuration.object), of_ray);
}

// Entries of Pods that are changed, or may be: their mode is not known. One value says the policy
// of all, and one the timeout.
class Enforced {
 public:
  Enforced(const View& view, const Json& entries) : view_(view) {
    for (const Json& each : entries)
      if (!is_watched(view, each).value_or(false)) {
        entries_.push_back(each);
        policies_.insert(text::text_member(each, "failurePolicy"));
        timeouts_.insert(timeout_of(each));
      }
  }

  void check_all(Checks& out) const {
    for (const Json& each : entries_) {
      if (!ignores_failures(each))
        check_timeout(each, out);
      else if (is_watched(view_, each))
        warn(out, policy_line,
             fmt::format("{}: failurePolicy is Ignore: while the webhook is unreachable, Pods of "
                         "multi-host slices are created unchanged and hold their chips without "
                         "forming a slice",
                         name_of(each)),
             to_value(policies_.size() == 1, "--set failurePolicy=Fail"));
    }
    if (timeouts_.size() > 1 && policies_.size() == 1)
      warn(out, policy_line,
           fmt::format("timeoutSeconds of entries that are enforced differ ({}), and one value "
                       "sets all of them: they were edited",
                       fmt::join(timeouts_, ", ")),
           as_the_chart_says(view_));
  }

 private:
  // The ledger may take limits::api::ledger_wait; an API server that gives up sooner throws its
  // answer away.
  void check_timeout(const Json& entry, Checks& out) const {
    const auto least = limits::api::ledger_wait / std::chrono::seconds(1);
    if (!asks_ledger(view_, entry) || timeout_of(entry) > least) return;
    warn(out, policy_line,
         fmt::format("{}: timeoutSeconds is {}; the ledger may need {} s to answer", name_of(entry),
                     timeout_of(entry), least),
         to_value(timeouts_.size() == 1, "--set timeoutSeconds=10"));
  }

  // Where entries differ that the chart writes alike, the value is not what is wrong.
  std::string to_value(bool alike, const char* flag) const {
    return alike ? with_values(view_, {flag}) : as_the_chart_says(view_);
  }

  const View& view_;
  std::vector<Json> entries_;
  std::set<std::string> policies_;
  std::set<long> timeouts_;
};

// An entry of Pods that are never changed.
void check_watched(const View& view, const Json& entry, Checks& out) {
  if (!ignores_failures(entry))
    return warn(out, policy_line,
                fmt::format("{}: failurePolicy is Fail, but its Pods are not changed: while the "
                            "webhook is unreachable they are refused without need",
                            name_of(entry)),
                as_the_chart_says(view));
  if (timeout_of(entry) > watched_seconds)
    warn(out, policy_line,
         fmt::format("{}: timeoutSeconds is {}, expected {}: while the webhook is unreachable each "
                     "of its Pods, which are not changed, waits that long",
                     name_of(entry), timeout_of(entry), watched_seconds),
         as_the_chart_says(view));
}

}  // namespace

void check_policies(const View& view, Checks& out) {
  const Json entries = entries_of(view.configuration.object);
  const std::size_t before = out.size();
  std::vector<std::string> refuse, ignore;
  for (const Json& entry : entries) {
    if (is_watched(view, entry).value_or(false)) check_watched(view, entry, out);
    (ignores_failures(entry) ? ignore : refuse)
        .push_back(fmt::format("{} ({} s)", name_of(entry), timeout_of(entry)));
  }
  Enforced(view, entries).check_all(out);
  if (out.size() > before) return;
  std::vector<std::string> said;
  if (!refuse.empty()) said.push_back(fmt::format("Fail: {}", fmt::join(refuse, ", ")));
  if (!ignore.empty()) said.push_back(fmt::format("Ignore: {}", fmt::join(ignore, ", ")));
  ok(out, policy_line, fmt::format("{}", fmt::join(said, "; ")));
}

}  // namespace tpuwh::server::doctor
