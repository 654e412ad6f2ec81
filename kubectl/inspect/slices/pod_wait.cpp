#include "kubectl/inspect/slices/pod_wait.hpp"

#include "base/counted.hpp"
#include "base/names.hpp"
#include "kubectl/objects/json_path.hpp"
#include "kubectl/text/rfc3339.hpp"
#include "server/text/json_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace tpuwh::server::slices {

namespace {

using base::printable;
using text::member;
using text::text_member;

constexpr std::size_t most_of_a_message = 200;
constexpr std::size_t most_of_a_name = 253;

std::optional<Time> time_in(const Json& object, const char* key) {
  return text::parse_time(text_member(object, key));
}

// Quotes, which kubelet and scheduler put around names, are no good in a sentence of ours.
std::string told(std::string message) {
  std::ranges::replace(message, '"', '\'');
  return printable(message, most_of_a_message);
}

std::string in_brackets(const std::vector<std::string>& parts) {
  return parts.empty() ? "" : fmt::format(" ({})", fmt::join(parts, ", "));
}

std::vector<std::string> gates_of(const Json& spec) {
  std::vector<std::string> out;
  for (const Json& each : member(spec, "schedulingGates"))
    out.push_back(printable(text_member(each, "name"), most_of_a_name));
  return out;
}

PodWait for_the_scheduler(const Json& object, const SeenPod& pod) {
  const Json& scheduled = objects::condition(object, "PodScheduled");
  const std::string message = text_member(scheduled, "message");
  PodWait out{"not scheduled", time_in(scheduled, "lastTransitionTime")};
  if (!out.since) out.since = pod.created;
  out.refused = !message.empty();
  if (out.refused) out.detail = " (" + told(message) + ")";
  return out;
}

// "31 restarts", "last OOMKilled"
std::vector<std::string> attempts_of(const Json& status) {
  std::vector<std::string> out;
  const Json& count = member(status, "restartCount");
  const auto restarts = count.is_number_integer() ? count.get<std::int64_t>() : 0;
  if (restarts > 0) out.push_back(base::counted(static_cast<std::uint64_t>(restarts), "restart"));
  for (const char* state : {"state", "lastState"}) {
    const Json& ended = member(member(status, state), "terminated");
    if (!ended.is_object()) continue;
    const std::string reason = printable(text_member(ended, "reason"));
    const Json& code = member(ended, "exitCode");
    const bool plain = reason.empty() || reason == "Error";
    if (plain && code.is_number_integer())
      out.push_back(fmt::format("last exit code {}", code.get<int>()));
    else if (!reason.empty())
      out.push_back("last " + reason);
    break;
  }
  return out;
}

// Whether the kubelet starts what has ended again: a restartable init container in any Pod.
bool comes_again(const Json& spec, bool restartable) {
  return restartable || text_member(spec, "restartPolicy") != "Never";
}

// `kind` is "container" or "init container".
PodWait of_container(std::string_view kind, const Json& status, bool again, const SeenPod& pod) {
  const std::string who =
      fmt::format("{} {}", kind, printable(text_member(status, "name"), most_of_a_name));
  const Json &state = member(status, "state"), &waiting = member(state, "waiting");
  const bool ended = member(state, "terminated").is_object();
  const std::string reason = printable(text_member(waiting, "reason"));
  const bool crashes = reason == "CrashLoopBackOff";
  auto details = attempts_of(status);
  // How long the kubelet sits out a crash says nothing.
  if (const std::string message = text_member(waiting, "message"); !message.empty() && !crashes)
    details.push_back(told(message));
  PodWait out{.what = {}, .since = {}, .detail = in_brackets(details)};
  if (ended)
    out.what = who + (again ? " has ended and is to be started again"
                            : " has ended and is not started again");
  else if (reason.empty() || reason == "PodInitializing")
    out.what = who + " is not started";
  else
    out.what = fmt::format("{} is in {}", who, reason);
  if (!crashes && !ended) out.since = pod.bound;
  return out;
}

bool is_restartable(const Json& spec, const std::string& name) {
  const Json& all = member(spec, "initContainers");
  return all.is_array() && std::ranges::any_of(all, [&](const Json& each) {
           return text_member(each, "name") == name &&
                  text_member(each, "restartPolicy") == "Always";
         });
}

// Nothing where init containers keep nothing back.
PodWait for_init_containers(const Json& spec, const Json& status, const SeenPod& pod) {
  for (const Json& each : member(status, "initContainerStatuses")) {
    const std::string name = text_member(each, "name");
    const Json& state = member(each, "state");
    const Json& running = member(state, "running");
    const Json& ended = member(state, "terminated");
    const bool restartable = is_restartable(spec, name);
    if (running.is_object() && restartable && member(each, "started") != Json(false)) continue;
    if (ended.is_object() && !restartable && member(ended, "exitCode") == Json(0)) continue;
    const std::string who = "init container " + printable(name, most_of_a_name);
    if (running.is_object())
      return {restartable ? who + " runs, and has not started by its startup probe" : who + " runs",
              time_in(running, "startedAt"), in_brackets(attempts_of(each))};
    // Its turn has not come.
    if (text_member(member(state, "waiting"), "reason") == "PodInitializing" &&
        &each != &member(status, "initContainerStatuses").front())
      continue;
    return of_container("init container", each, comes_again(spec, restartable), pod);
  }
  return {};
}

bool is_ordinary(const Json& status) {
  const std::string reason = text_member(member(member(status, "state"), "waiting"), "reason");
  return reason.empty() || reason == "ContainerCreating" || reason == "PodInitializing";
}

bool does_not_run(const Json& status) {
  const Json& state = member(status, "state");
  return !member(state, "running").is_object() &&
         !(member(state, "terminated").is_object() &&
           member(member(state, "terminated"), "exitCode") == Json(0));
}

// What is odd comes before what every Pod goes through.
PodWait for_containers(const Json& spec, const Json& status, const SeenPod& pod) {
  const Json* found = nullptr;
  for (const Json& each : member(status, "containerStatuses")) {
    const bool counts = pod.life == Life::pending ||
                        std::ranges::any_of(pod.processes, [&](const TpuProcess& process) {
                          return process.waits && process.container == text_member(each, "name");
                        });
    if (!counts || !does_not_run(each)) continue;
    if (found == nullptr || (is_ordinary(*found) && !is_ordinary(each))) found = &each;
  }
  return found == nullptr ? PodWait()
                          : of_container("container", *found, comes_again(spec, false), pod);
}

}  // namespace

PodWait wait_of(const Json& object, const SeenPod& pod) {
  const Json &spec = member(object, "spec"), &status = member(object, "status");
  if (pod.life != Life::pending && pod.life != Life::running) return {};
  if (pod.node.empty()) {
    const auto gates = gates_of(spec);
    PodWait out = for_the_scheduler(object, pod);
    if (gates.empty()) return out;
    return {.what = fmt::format("gated by {}", fmt::join(gates, ", ")),
            .since = out.since,
            .detail = {},
            .refused = true};
  }
  if (pod.life == Life::pending)
    if (PodWait out = for_init_containers(spec, status, pod); !out.what.empty()) return out;
  PodWait out = for_containers(spec, status, pod);
  if (out.what.empty() && pod.life == Life::pending)
    return {.what = "bound, and not started by the kubelet", .since = pod.bound, .detail = {}};
  return out;
}

}  // namespace tpuwh::server::slices
