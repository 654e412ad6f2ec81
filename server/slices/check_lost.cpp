// Members that will not come back by themselves.
#include "server/slices/audit.hpp"
#include "server/slices/events.hpp"
#include "server/slices/standing.hpp"
#include "webhook/text/names.hpp"

#include <fmt/format.h>

namespace tpuwh::server::slices {

namespace {

using webhook::text::printable;

constexpr std::size_t longest_reason = 200;

std::string who(const SeenPod& pod) {
  return pod.host ? fmt::format("Pod {} (host {})", pod.name, *pod.host) : "Pod " + pod.name;
}

// It would be Failed, and replaced, but for the container beside it.
void find_held(const SliceReport& slice, const SeenPod& pod, const std::string& why,
               Findings& findings) {
  findings.error(
      "member-lost", slice, {&pod},
      fmt::format("of {} {}, but container {} still runs, so that the Pod does not end and nothing "
                  "replaces it; want a container that ends with the others: a restartable init "
                  "container (restartPolicy: Always)",
                  who(pod), why, printable(pod.beside, 253)),
      fmt::format("delete the Pod, and make {} a restartable init container in the template",
                  printable(pod.beside, 253)));
}

void find_lost(const SliceReport& slice, const SeenPod& pod, Findings& findings) {
  const HowItStands how = how_it_stands(findings.cluster(), pod);
  if (how.standing != Standing::lost) return;
  const bool ended = std::ranges::any_of(
      pod.processes, [](const TpuProcess& each) { return each.exit_code.value_or(0) != 0; });
  if (ended && !pod.terminating) {
    if (!pod.beside.empty()) find_held(slice, pod, how.why, findings);
    return;  // else it is about to be Failed
  }
  findings.warn(
      "member-lost", slice, {&pod},
      fmt::format("{} is lost: {}; want every host on a node that is ready", who(pod), how.why),
      "nothing, where the node comes back or its Pod is deleted within minutes; else "
      "repair or delete the node");
}

// A controller that replaces it does so within minutes.
void find_failed(const SliceReport& slice, const SeenPod& pod, Findings& findings) {
  const bool stays = stays_failed(findings.cluster(), pod);
  const std::string reason =
      pod.failure.empty() ? "" : " (" + printable(pod.failure, longest_reason) + ")";
  const std::string what =
      fmt::format("{} has failed{}, and no other Pod has its place; want one Pod for each host",
                  who(pod), reason);
  const std::string command = events_command(slice, *pod.host);
  const std::string fix = command.empty() ? "recreate the Pod: nothing else does"
                                          : "see why no other is made: " + command;
  if (stays)
    findings.error("member-lost", slice, {&pod}, what, fix);
  else
    findings.warn("member-lost", slice, {&pod}, what, "if no other is made within minutes, " + fix);
}

}  // namespace

void check_lost(const SliceReport& slice, Findings& findings) {
  for (const SeenPod* pod : slice.members) find_lost(slice, *pod, findings);
  for (const SeenPod* pod : slice.failed) find_failed(slice, *pod, findings);
}

}  // namespace tpuwh::server::slices
