#include "kubectl/objects/gang.hpp"

#include "kubectl/objects/json_path.hpp"
#include "kubectl/objects/keys.hpp"

#include <algorithm>
#include <limits>

namespace tpuwh::server::objects {

using webhook::read::Annotation;

std::uint64_t gang_size(const Json& pod_group) {
  const Json& count = at(pod_group, {"spec", "schedulingPolicy", "gang", "minCount"});
  constexpr std::uint64_t most = std::numeric_limits<std::int32_t>::max();
  return count.is_number_unsigned() ? std::min(count.get<std::uint64_t>(), most) : 0;
}

std::string pod_group_of(const Json& pod) {
  return text::text_member(at(pod, {"spec", "schedulingGroup"}), "podGroupName");
}

std::optional<Followers> followers_of(const Json& object) {
  // With labels on the nodes beforehand no Pod waits for another.
  if (!annotation(object, Annotation::jobset_exclusive).empty() &&
      annotation(object, key::jobset_node_selector).empty())
    return Followers{
        key_of(Annotation::jobset_exclusive),
        "JobSet lets the other Pods of an exclusive Job in when its first one is bound"};
  if (!annotation(object, Annotation::lws_exclusive).empty())
    return Followers{
        key_of(Annotation::lws_exclusive),
        "LeaderWorkerSet creates the workers of an exclusive group when its leader is bound"};
  return std::nullopt;
}

}  // namespace tpuwh::server::objects
