#include "kubectl/inspect/source/newest_time.hpp"

#include "kubectl/text/rfc3339.hpp"
#include "server/text/json_text.hpp"

#include <algorithm>
#include <cstdint>
#include <string_view>

namespace tpuwh::server::source {

namespace {

// What happened then.
bool tells_a_time(std::string_view key) {
  constexpr std::string_view keys[] = {
      "creationTimestamp", "lastTransitionTime", "lastHeartbeatTime", "lastProbeTime",
      "lastUpdateTime",    "startedAt",          "finishedAt",        "startTime",
      "completionTime",    "lastScheduleTime",   "lastSuccessfulTime"};
  return std::ranges::find(keys, key) != std::end(keys);
}

const Json& at(const Json& object, const char* key) {
  return text::member(object, key);
}

}  // namespace

void NewestTime::take(const Json& value) {
  if (!value.is_string()) return;
  const auto& text = value.get_ref<const std::string&>();
  // Most are of one form, in which texts order as the moments do.
  if (text.size() == last_.size() && text.ends_with('Z') && text <= last_) return;
  if (const auto moment = text::parse_time(text); moment && take(*moment)) last_ = text;
}

bool NewestTime::take(std::chrono::system_clock::time_point moment) {
  if (newest_ && moment <= *newest_) return false;
  newest_ = moment;
  return true;
}

void NewestTime::look_through(const Json& value) {
  if (value.is_object()) {
    for (const auto& [key, member] : value.get_ref<const Json::object_t&>())
      if (member.is_structured())
        look_through(member);
      else if (member.is_string() && tells_a_time(key))
        take(member);
  } else if (value.is_array()) {
    for (const Json& item : value)
      if (item.is_structured()) look_through(item);
  }
}

void NewestTime::look_at(const Json& object) {
  const Json& metadata = at(object, "metadata");
  take(at(metadata, "creationTimestamp"));
  for (const Json& each : at(metadata, "managedFields")) take(at(each, "time"));
  look_at_deletion(metadata);
  look_through(at(object, "status"));
  for (const Json& taint : at(at(object, "spec"), "taints")) take(at(taint, "timeAdded"));
  for (const char* key : {"firstTimestamp", "lastTimestamp", "eventTime"}) take(at(object, key));
  for (const char* key : {"acquireTime", "renewTime"}) take(at(at(object, "spec"), key));
}

// The API server adds the grace period to the moment at which it was asked.
void NewestTime::look_at_deletion(const Json& metadata) {
  const auto end = text::parse_time(text::text_member(metadata, "deletionTimestamp"));
  const Json& grace = at(metadata, "deletionGracePeriodSeconds");
  if (!end || !grace.is_number_integer()) return;
  constexpr std::int64_t longest = 1'000'000'000;
  take(*end -
       std::chrono::seconds(std::clamp<std::int64_t>(grace.get<std::int64_t>(), 0, longest)));
}

}  // namespace tpuwh::server::source
