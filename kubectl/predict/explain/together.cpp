#include "kubectl/predict/explain/together.hpp"

#include "kubectl/predict/expand/expand.hpp"
#include "kubectl/predict/explain/pod_json.hpp"

#include <map>
#include <utility>

namespace tpuwh::server::explain {

std::vector<Together> told_together(std::span<const source::Manifest> manifests,
                                    const std::string& ns, const std::string& prefix) {
  std::vector<Together> out;
  std::map<std::pair<std::string, std::string>, std::size_t> by_list;
  for (const source::Manifest& each : manifests) {
    if (!expand::makes_pods(each.object)) continue;
    const std::string list = text::text_member(each.object, "kind") == "Pod" &&
                                     at(each.object, {"metadata", "ownerReferences"}).empty()
                                 ? annotation(each.object, prefix + "hostnames")
                                 : "";
    std::size_t place = out.size();
    if (!list.empty())
      place = by_list.try_emplace({namespace_of(each.object, ns), list}, place).first->second;
    if (place == out.size()) out.emplace_back();
    out[place].push_back(&each);
  }
  return out;
}

}  // namespace tpuwh::server::explain
