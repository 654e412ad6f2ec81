#include "kubectl/inspect/slices/events.hpp"

#include "base/names.hpp"
#include "kubectl/print/shell_command.hpp"

#include <optional>

namespace tpuwh::server::slices {

namespace {

using webhook::config::WorkloadKind;

// A value of a field selector (EscapeValue of k8s.io/apimachinery/pkg/fields).
std::string field_value(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\' || c == ',' || c == '=') out += '\\';
    out += c;
  }
  return out;
}

// In the order of what says most: what lives, what is being deleted, what has ended.
std::vector<const SeenPod*> all_of(const SliceReport& slice) {
  std::vector<const SeenPod*> out = slice.members;
  out.insert(out.end(), slice.leaving.begin(), slice.leaving.end());
  out.insert(out.end(), slice.ended.begin(), slice.ended.end());
  return out;
}

// Which of its group a Pod of a LeaderWorkerSet is: 0 the leader, of the set's own StatefulSet; the
// others end in their number. Nothing of a name that does not.
std::optional<std::uint32_t> index_in_group(const SliceReport& slice, const SeenPod& pod) {
  const std::string& maker = pod.owners.front().name;
  if (maker == slice.group) return 0;
  if (!pod.name.starts_with(maker + "-")) return std::nullopt;
  return base::plain_decimal(std::string_view(pod.name).substr(maker.size() + 1));
}

// Each leader is the owner of a StatefulSet of its own name, which makes the others of the group
// (docs/facts.md#lws). A slice is a part of the group, so that its host 0 may be one of these.
ObjectName maker_in_group(const SliceReport& slice, const SeenPod& pod, std::uint32_t host) {
  const auto index = index_in_group(slice, pod);
  if (!index || !pod.host || *index < *pod.host) return {};
  if (*index - *pod.host + host == 0) return {"StatefulSet", slice.ns, slice.group};
  return *index == 0 ? ObjectName{"StatefulSet", slice.ns, pod.name} : pod.owners.front();
}

ObjectName maker_of(const SliceReport& slice, std::uint32_t host) {
  for (const SeenPod* pod : all_of(slice)) {
    if (pod->owners.empty()) continue;
    return pod->workload == WorkloadKind::lws ? maker_in_group(slice, *pod, host)
                                              : pod->owners.front();
  }
  return {};
}

}  // namespace

std::string events_command(const SliceReport& slice, std::uint32_t host) {
  const ObjectName maker = maker_of(slice, host);
  if (maker.name.empty()) return {};
  return print::ShellCommand("kubectl -n")
      .name(slice.ns)
      .words("get events --field-selector")
      .arg("involvedObject.kind=",
           field_value(maker.kind) + ",involvedObject.name=" + field_value(maker.name))
      .text();
}

}  // namespace tpuwh::server::slices
