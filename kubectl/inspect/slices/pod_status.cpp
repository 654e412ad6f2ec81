#include "kubectl/inspect/slices/pod_status.hpp"

#include "base/names.hpp"
#include "kubectl/inspect/slices/pod_wait.hpp"
#include "kubectl/objects/json_path.hpp"
#include "kubectl/objects/keys.hpp"
#include "kubectl/text/rfc3339.hpp"
#include "server/text/json_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace tpuwh::server::slices {

namespace {

using text::member;
using text::text_member;

Life life_of(const std::string& phase) {
  if (phase == "Pending") return Life::pending;
  if (phase == "Running") return Life::running;
  if (phase == "Succeeded") return Life::succeeded;
  if (phase == "Failed") return Life::failed;
  return Life::unknown;
}

void keep_newest(std::optional<Time>& newest, const std::string& text) {
  const auto time = text::parse_time(text);
  if (time && (!newest || *time > *newest)) newest = time;
}

// Who makes Pods of a template that changes writes this on them. The leader of a LeaderWorkerSet
// and its workers are of different StatefulSets, whose own hashes differ.
std::string revision_of(const Json& metadata) {
  const Json& labels = member(metadata, "labels");
  if (!text_member(labels, objects::key_of(webhook::read::Label::lws_name)).empty())
    return text_member(labels, objects::key::lws_revision);
  for (const char* key : {"jobset.sigs.k8s.io/restart-attempt", objects::key::controller_revision,
                          objects::key::pod_template_hash})
    if (std::string value = text_member(labels, key); !value.empty()) return value;
  return {};
}

// Whether the kubelet starts a container again that ended with this code.
bool starts_again(const std::string& policy, int code) {
  return policy == "Always" || policy.empty() || (policy == "OnFailure" && code != 0);
}

void read_container(const Json& status, const std::string& policy, SeenPod& pod) {
  const std::string name = text_member(status, "name");
  const Json& state = member(status, "state");
  const Json& terminated = member(state, "terminated");
  keep_newest(pod.failed, text_member(terminated, "finishedAt"));
  const auto process = std::ranges::find(pod.processes, name, &TpuProcess::container);
  if (process == pod.processes.end()) {
    if (member(state, "running").is_object()) pod.beside.push_back(name);
    return;
  }
  process->waits = member(state, "waiting").is_object();
  if (!terminated.is_object()) return;
  const Json& code = member(terminated, "exitCode");
  const int exit_code = code.is_number_integer() ? code.get<int>() : 0;
  if (starts_again(policy, exit_code)) {
    process->waits = true;
    return;
  }
  process->exit_code = exit_code;
  process->ended = text::parse_time(text_member(terminated, "finishedAt"));
}

SeenToleration toleration_of(const Json& entry) {
  SeenToleration out{text_member(entry, "key"), text_member(entry, "operator"),
                     text_member(entry, "value"), text_member(entry, "effect")};
  const Json& time = member(entry, "tolerationSeconds");
  // Less than none is none (k8s.io/api/core/v1, Toleration).
  if (time.is_number_integer())
    out.time = std::chrono::seconds(std::max<std::int64_t>(time.get<std::int64_t>(), 0));
  return out;
}

std::string failure_of(const Json& status) {
  std::string out = text_member(status, "reason");
  const std::string message = text_member(status, "message");
  if (!message.empty()) out += (out.empty() ? "" : ": ") + message;
  return out;
}

}  // namespace

void read_status(const Json& object, SeenPod& pod) {
  const Json &metadata = member(object, "metadata"), &spec = member(object, "spec"),
             &status = member(object, "status");
  pod.node = text_member(spec, "nodeName");
  pod.ip = text_member(status, "podIP");
  pod.life = life_of(text_member(status, "phase"));
  pod.terminating = !member(metadata, "deletionTimestamp").is_null();
  pod.leaves_by = text::parse_time(text_member(metadata, "deletionTimestamp"));
  std::vector<std::string> finalizers;
  for (const Json& each : member(metadata, "finalizers"))
    if (each.is_string()) finalizers.push_back(base::printable(each.get<std::string>(), 253));
  pod.finalizers = fmt::format("{}", fmt::join(finalizers, " and "));
  pod.created = text::parse_time(text_member(metadata, "creationTimestamp"));
  pod.revision = revision_of(metadata);
  for (const Json& each : member(spec, "tolerations"))
    pod.tolerations.push_back(toleration_of(each));
  for (const Json& each : member(status, "containerStatuses"))
    read_container(each, text_member(spec, "restartPolicy"), pod);
  if (const Json& ready = objects::condition(object, "Ready"); !ready.is_null())
    pod.ready = text_member(ready, "status") == "True";
  if (const Json& scheduled = objects::condition(object, "PodScheduled");
      text_member(scheduled, "status") == "True")
    pod.bound = text::parse_time(text_member(scheduled, "lastTransitionTime"));
  pod.wait = wait_of(object, pod);
  if (pod.life != Life::failed) return pod.failed.reset();
  // A Pod that was evicted has no container's end, but a condition that changed with it.
  for (const Json& each : member(status, "conditions"))
    keep_newest(pod.failed, text_member(each, "lastTransitionTime"));
  pod.failure = failure_of(status);
}

}  // namespace tpuwh::server::slices
