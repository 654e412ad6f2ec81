#include "kubectl/inspect/doctor/pod_trouble.hpp"

#include "base/counted.hpp"
#include "base/names.hpp"
#include "kubectl/objects/json_path.hpp"
#include "server/text/json_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

namespace tpuwh::server::doctor {

namespace {

// What each new Pod passes through.
bool is_usual(const std::string& reason) {
  return reason.empty() || reason == "ContainerCreating" || reason == "PodInitializing";
}

std::string ended(const Json& state, const char* when) {
  const Json& end = text::member(state, "terminated");
  if (!end.is_object()) return {};
  const Json& code = text::member(end, "exitCode");
  const std::string reason = text::text_member(end, "reason");
  if (reason == "Completed" && code == 0) return {};
  return fmt::format(
      "{} ({}{})", when, base::printable(reason),
      code.is_number_integer()
          ? fmt::format("{}exit code {}", reason.empty() ? "" : ", ", code.get<long>())
          : "");
}

// "" of a container that runs.
std::string trouble_of_container(const Json& status) {
  const Json& state = text::member(status, "state");
  std::vector<std::string> said;
  if (const auto why = text::text_member(text::member(state, "waiting"), "reason"); !is_usual(why))
    said.push_back(fmt::format("waits ({})", base::printable(why)));
  if (auto now = ended(state, "has ended"); !now.empty()) said.push_back(std::move(now));
  const bool ready = text::member(status, "ready") == true;
  if (auto before = ended(text::member(status, "lastState"), "ended before");
      !before.empty() && (!said.empty() || !ready))
    said.push_back(std::move(before));
  if (said.empty()) return {};
  if (const Json& count = text::member(status, "restartCount");
      count.is_number_integer() && count.get<long>() > 0)
    said.push_back(base::counted(static_cast<std::size_t>(count.get<long>()), "restart"));
  return fmt::format("container {} {}", base::printable(text::text_member(status, "name")),
                     fmt::join(said, ", "));
}

std::string unscheduled(const Json& pod) {
  const Json& scheduled = objects::condition(pod, "PodScheduled");
  if (text::text_member(scheduled, "status") != "False") return {};
  return fmt::format("is on no node: {}",
                     base::printable(text::text_member(scheduled, "message"), 200));
}

}  // namespace

std::string trouble_of(const Json& pod) {
  const Json& status = text::member(pod, "status");
  std::vector<std::string> said;
  if (auto why = unscheduled(pod); !why.empty()) said.push_back(std::move(why));
  if (text::text_member(status, "phase") == "Failed")
    said.push_back(fmt::format(
        "has failed{}",
        text::text_member(status, "reason").empty()
            ? std::string()
            : fmt::format(" ({})", base::printable(text::text_member(status, "reason")))));
  for (const char* list : {"initContainerStatuses", "containerStatuses"})
    for (const Json& each : text::member(status, list))
      if (auto why = trouble_of_container(each); !why.empty()) said.push_back(std::move(why));
  if (said.empty()) return {};
  return fmt::format("Pod {}: {}", name_of_object(pod), fmt::join(said, "; "));
}

}  // namespace tpuwh::server::doctor
