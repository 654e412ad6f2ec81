#include "kubectl/predict/explain/kueue_topology.hpp"

#include "base/counted.hpp"
#include "base/names.hpp"
#include "kubectl/objects/keys.hpp"
#include "kubectl/predict/explain/pod_json.hpp"
#include "webhook/read/vocabulary.hpp"

#include <fmt/format.h>

#include <string>

namespace tpuwh::server::explain {

namespace {

const char* const whole_set = objects::key_of(webhook::read::Annotation::kueue_tas_required);
const char* const each_slice = objects::key_of(webhook::read::Annotation::kueue_tas_slice_required);
constexpr auto slice_size = "kueue.x-k8s.io/podset-slice-size";

Finding never(std::string sentence, const Group& group) {
  return {.denied = false,
          .id = ids::of_explain("kueue-topology"),
          .sentence = std::move(sentence),
          .fix = fixes::Choice{fmt::format(
              "set annotations {}: {} and {}: \"{}\" to keep each slice on one node pool",
              each_slice, webhook::read::key::node_pool, slice_size, group.hosts)}};
}

// How many Pods one domain holds of the group; 0 where that is not known.
std::uint64_t held(const std::string& key, const Group& group) {
  if (key == webhook::read::key::node_pool) return group.hosts;
  return key == objects::key::hostname ? 1 : 0;
}

const char* domain(const std::string& key) {
  return key == webhook::read::key::node_pool ? "node pool" : "node";
}

std::optional<Finding> of_each_slice(const Json& member, const std::string& key,
                                     const Group& group) {
  const auto size = base::plain_decimal(annotation(member, slice_size));
  const std::uint64_t most = held(key, group);
  if (!size || most == 0 || *size == most) return std::nullopt;
  if (*size > most)
    return never(fmt::format("{} asks for {} on one {}, which holds {}: Kueue never admits them",
                             each_slice, base::counted(*size, "Pod"), domain(key), most),
                 group);
  return never(fmt::format("{} is {}, so Kueue keeps {} together, but a slice has {}", slice_size,
                           *size, base::counted(*size, "Pod"), base::counted(group.hosts, "host")),
               group);
}

}  // namespace

std::optional<Finding> topology_fault(const Json& member, const Group& group) {
  if (!group.multi_host()) return std::nullopt;
  if (const std::string key = annotation(member, each_slice); !key.empty())
    return of_each_slice(member, key, group);
  const std::string key = annotation(member, whole_set);
  const std::uint64_t most = held(key, group);
  if (most == 0 || group.pods <= most) return std::nullopt;
  return never(fmt::format("{} asks for all {} of {} on one {}, which holds {}: Kueue never admits "
                           "them",
                           whole_set, base::counted(group.pods, "Pod"),
                           group.title.empty() ? "the workload" : group.title, domain(key), most),
               group);
}

}  // namespace tpuwh::server::explain
