// Gangs of the scheduler that wait for Pods which come only after them.
#include "base/counted.hpp"
#include "kubectl/inspect/doctor/check.hpp"
#include "kubectl/objects/gang.hpp"
#include "kubectl/objects/object.hpp"
#include "kubectl/text/rfc3339.hpp"
#include "server/text/json_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

namespace tpuwh::server::doctor {

namespace {

// Controllers create the Pods of a workload within seconds.
constexpr std::chrono::minutes patience{1};

using objects::namespace_of;

bool is_bound(const Json& pod) {
  return !text::text_member(text::member(pod, "spec"), "nodeName").empty();
}

// Those of the gang that count: the scheduler leaves out what is over.
std::vector<const Json*> pods_of(const Json& gang, const View& view) {
  std::vector<const Json*> out;
  for (const Json& pod : view.ganged.items)
    if (namespace_of(pod) == namespace_of(gang) &&
        objects::pod_group_of(pod) == name_of_object(gang) && !objects::has_ended(pod))
      out.push_back(&pod);
  return out;
}

bool waited_long(const Json& pod, const View& view) {
  const auto created =
      text::parse_time(text::text_member(text::member(pod, "metadata"), "creationTimestamp"));
  return created && view.now - *created > patience;
}

void look_at(const Json& gang, const View& view, Checks& out) {
  const std::vector<const Json*> pods = pods_of(gang, view);
  const std::uint64_t wanted = objects::gang_size(gang);
  if (pods.empty() || pods.size() >= wanted) return;
  const auto waits = std::ranges::find_if(
      pods, [&](const Json* pod) { return !is_bound(*pod) && waited_long(*pod, view); });
  if (waits == pods.end()) return;
  const auto followers = objects::followers_of(**waits);
  warn(out, "gangs",
       fmt::format("PodGroup {}/{} is a gang of {} (minCount), and {} {} there: {} is not bound "
                   "before the others are{}",
                   namespace_of(gang), name_of_object(gang), base::counted(wanted, "Pod"),
                   pods.size(), pods.size() == 1 ? "is" : "are", name_of_object(**waits),
                   followers ? ", and " + followers->why : ""),
       followers ? fmt::format("remove annotation {} from the workload and recreate it",
                               followers->annotation)
                 : "see why its workload creates no more Pods, or lower minCount");
}

}  // namespace

void check_gangs(const View& view, Checks& out) {
  if (view.gangs.items.empty()) return;
  if (!view.ganged.there()) return unknown(out, "gangs", view.ganged.why);
  const std::size_t before = out.size();
  for (const Json& each : view.gangs.items) look_at(each, view, out);
  if (out.size() == before)
    ok(out, "gangs",
       fmt::format("{} of the scheduler, and none waits for Pods that are not there",
                   base::counted(view.gangs.items.size(), "gang")));
}

}  // namespace tpuwh::server::doctor
