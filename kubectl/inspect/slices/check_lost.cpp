// Members that will not come back by themselves.
#include "base/names.hpp"
#include "kubectl/inspect/slices/audit.hpp"
#include "kubectl/inspect/slices/events.hpp"
#include "kubectl/inspect/slices/recreate.hpp"
#include "kubectl/inspect/slices/standing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

namespace tpuwh::server::slices {

namespace {

using base::printable;

constexpr std::size_t longest_reason = 200;

std::string who(const SeenPod& pod) {
  return pod.host ? fmt::format("Pod {} (host {})", pod.name, *pod.host) : "Pod " + pod.name;
}

// "logs", "logs and istio-proxy"
std::string joined_names(const std::vector<std::string>& names) {
  std::string out;
  for (std::size_t i = 0; i < names.size(); ++i)
    out += (i == 0 ? "" : i + 1 == names.size() ? " and " : ", ") + printable(names[i], 253);
  return out;
}

std::string still_run(const std::vector<std::string>& names) {
  return fmt::format("{} {} still {}", names.size() == 1 ? "container" : "containers",
                     joined_names(names), names.size() == 1 ? "runs" : "run");
}

constexpr auto want_of_one =
    "a container that ends with the others: a restartable init container (restartPolicy: Always)";
constexpr auto want_of_several =
    "containers that end with the others: restartable init containers (restartPolicy: Always)";

std::string restartable(const std::vector<std::string>& names) {
  return names.size() == 1 ? want_of_one : want_of_several;
}

std::string made_restartable(const std::vector<std::string>& names) {
  return joined_names(names) +
         (names.size() == 1 ? " a restartable init container" : " restartable init containers");
}

// A TPU container that still runs beside one that has ended: it mostly waits for that one, and ends
// by itself when its own limits are over.
const TpuProcess* still_running(const SeenPod& pod) {
  const auto found = std::ranges::find_if(
      pod.processes, [](const TpuProcess& each) { return !each.exit_code && !each.waits; });
  return found == pod.processes.end() ? nullptr : &*found;
}

bool ended_long_ago(const Cluster& cluster, const SeenPod& pod) {
  return std::ranges::any_of(pod.processes, [&](const TpuProcess& each) {
    return each.ended && cluster.now && *cluster.now - *each.ended > time_to_replace;
  });
}

// It would be Failed, and replaced, but for the container beside it.
void find_held(const SliceReport& slice, const SeenPod& pod, const std::string& why,
               Findings& findings) {
  const TpuProcess* other = still_running(pod);
  if (pod.beside.empty() && other == nullptr) return;  // it is about to be
  const auto names = pod.beside.empty() ? std::vector{other->container} : pod.beside;
  const std::string what =
      fmt::format("of {} {}, but {}, so the Pod does not end and nothing replaces it", who(pod),
                  why, still_run(names));
  if (!pod.beside.empty())
    return findings.error(
        "member-lost", slice, {&pod}, what + "; expected " + restartable(names),
        fmt::format("delete the Pod, and make {} in the template", made_restartable(names)));
  if (ended_long_ago(findings.cluster(), pod))
    findings.error("member-lost", slice, {&pod}, what, restart_hint(slice));
  else
    findings.warn("member-lost", slice, {&pod}, what,
                  "no action if it ends within minutes; otherwise " + restart_hint(slice));
}

void find_lost(const SliceReport& slice, const SeenPod& pod, Findings& findings) {
  const HowItStands how = how_it_stands(findings.cluster(), pod);
  if (how.standing != Standing::lost) return;
  const bool ended = std::ranges::any_of(
      pod.processes, [](const TpuProcess& each) { return each.exit_code.value_or(0) != 0; });
  if (ended && !pod.terminating) return find_held(slice, pod, how.why, findings);
  const std::string what =
      fmt::format("{} is lost: {}; expected every host on a node that is ready", who(pod), how.why);
  if (how.for_good)
    findings.error("member-lost", slice, {&pod}, what, "repair or delete the node");
  else if (findings.cluster().node_of(pod) == nullptr)
    findings.warn(
        "member-lost", slice, {&pod}, what,
        "no action is needed: Pods of a Node that does not exist are deleted within minutes");
  else
    findings.warn("member-lost", slice, {&pod}, what,
                  "no action if the node comes back or its Pod is deleted within minutes; "
                  "otherwise repair or delete the node");
}

// Its work is done, and it holds its chips.
void find_lingering(const SliceReport& slice, Findings& findings) {
  std::vector<const SeenPod*> pods;
  for (const SeenPod* pod : slice.members)
    if (!pod->beside.empty() && ended_long_ago(findings.cluster(), *pod)) pods.push_back(pod);
  if (slice.phase != Phase::ended || pods.empty()) return;
  const std::vector<std::string>& names = pods.front()->beside;
  findings.warn("member-lost", slice, pods,
                fmt::format("the TPU containers of {} have completed, but {}, so the Pods do not "
                            "end and hold their chips; expected {}",
                            names_of(pods), still_run(names), restartable(names)),
                fmt::format("end {} {} in these Pods, and make {} in the template",
                            names.size() == 1 ? "container" : "containers", joined_names(names),
                            names.size() == 1 ? "it a restartable init container"
                                              : "them restartable init containers"));
}

// A controller that replaces it does so within minutes; `fix` is for where none does.
void tell_failed(const SliceReport& slice, const SeenPod& pod, std::string what,
                 const std::string& fix, Findings& findings) {
  if (stays_failed(findings.cluster(), pod))
    findings.error("member-lost", slice, {&pod}, std::move(what), fix);
  else
    findings.warn("member-lost", slice, {&pod}, std::move(what),
                  "if no other is created within minutes, " + fix);
}

// "Pod a (host 1) has failed (Evicted: low on memory)"
std::string failure_of(const SeenPod& pod) {
  return fmt::format(
      "{} has failed{}", who(pod),
      pod.failure.empty() ? "" : " (" + printable(pod.failure, longest_reason) + ")");
}

void find_failed(const SliceReport& slice, const SeenPod& pod, Findings& findings) {
  const std::string command = events_command(slice, *pod.host);
  tell_failed(slice, pod,
              failure_of(pod) + ", and no other Pod has its place; expected one Pod for each host",
              command.empty() ? "recreate the Pod: nothing else does"
                              : "see why no other is created: " + command,
              findings);
}

// The others of its job wait for it.
void find_lost_slice(const SliceReport& slice, Findings& findings) {
  if (slice.failed.empty()) return;
  const SeenPod& pod = **std::ranges::max_element(slice.failed, {}, &SeenPod::failed);
  const std::string command = events_command(slice, pod.host.value_or(0));
  tell_failed(slice, pod,
              fmt::format("no Pod of this slice lives, and {}, while other slices of the job stay; "
                          "expected all of them, or none",
                          failure_of(pod)),
              "see why it is not recreated" + (command.empty() ? "" : ": " + command), findings);
}

}  // namespace

void check_lost_slices(const std::vector<SliceReport>& slices, Findings& findings) {
  std::set<std::string_view> jobs;  // of which members stay
  for (const SliceReport& slice : slices)
    if (!slice.staying.empty() && slice.slice) jobs.insert(slice.job_key);
  for (const SliceReport& slice : slices)
    if (slice.members.empty() && slice.multi_host() && slice.slice && jobs.contains(slice.job_key))
      find_lost_slice(slice, findings);
}

void check_lost(const SliceReport& slice, Findings& findings) {
  for (const SeenPod* pod : slice.members) find_lost(slice, *pod, findings);
  for (const SeenPod* pod : slice.failed) find_failed(slice, *pod, findings);
  find_lingering(slice, findings);
}

}  // namespace tpuwh::server::slices
