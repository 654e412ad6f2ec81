#include "server/slices/clock.hpp"

#include "server/text/json_text.hpp"
#include "server/text/rfc3339.hpp"

#include <nlohmann/json.hpp>

#include <array>

namespace tpuwh::server::slices {

namespace {

using Json = nlohmann::ordered_json;
using text::member;
using text::text_member;

class Newest {
 public:
  void take(const Json& object, const char* key) {
    const auto time = text::parse_time(text_member(object, key));
    if (time && (!newest_ || *time > *newest_)) newest_ = time;
  }
  void take_each(const Json& list, std::initializer_list<const char*> keys) {
    for (const Json& each : list)
      for (const char* key : keys) take(each, key);
  }
  // A deletion is told by the moment at which its grace ends.
  void take_deletion(const Json& metadata) {
    const auto end = text::parse_time(text_member(metadata, "deletionTimestamp"));
    const Json& grace = member(metadata, "deletionGracePeriodSeconds");
    if (!end || !grace.is_number_integer()) return;
    constexpr std::int64_t longest = 1'000'000'000;
    const std::chrono::seconds length(
        std::clamp<std::int64_t>(grace.get<std::int64_t>(), 0, longest));
    if (const Time begin = *end - length; !newest_ || begin > *newest_) newest_ = begin;
  }
  std::optional<Time> time() const { return newest_; }

 private:
  std::optional<Time> newest_;
};

}  // namespace

std::optional<Time> newest_time(const Json& object) {
  const Json &metadata = member(object, "metadata"), &status = member(object, "status");
  Newest out;
  out.take(metadata, "creationTimestamp");
  out.take_deletion(metadata);
  out.take_each(member(metadata, "managedFields"), {"time"});
  out.take(status, "startTime");
  out.take_each(member(status, "conditions"), {"lastTransitionTime", "lastHeartbeatTime"});
  out.take_each(member(member(object, "spec"), "taints"), {"timeAdded"});
  for (const Json& container : member(status, "containerStatuses")) {
    const Json& state = member(container, "state");
    out.take(member(state, "running"), "startedAt");
    out.take(member(state, "terminated"), "finishedAt");
  }
  return out.time();
}

std::optional<Time> not_ready_since(const Json& node) {
  std::optional<Time> since;
  for (const Json& each : member(member(node, "status"), "conditions"))
    if (text_member(each, "type") == "Ready" && text_member(each, "status") != "True")
      since = text::parse_time(text_member(each, "lastTransitionTime"));
  constexpr std::array keys = {"node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"};
  for (const Json& each : member(member(node, "spec"), "taints"))
    for (const char* key : keys)
      if (text_member(each, "key") == key && text_member(each, "effect") == "NoExecute")
        if (const auto added = text::parse_time(text_member(each, "timeAdded"))) return added;
  return since;
}

}  // namespace tpuwh::server::slices
