#include "kubectl/inspect/slices/places.hpp"

#include <algorithm>
#include <set>

namespace tpuwh::server::slices {

void sort_by_host(std::vector<const SeenPod*>& pods) {
  std::ranges::stable_sort(pods, {},
                           [](const SeenPod* pod) { return pod->host.value_or(UINT32_MAX); });
}

void deal_places(const std::vector<const SeenPod*>& living, SliceReport& slice) {
  std::set<std::uint32_t> held;
  for (const SeenPod* pod : living) {
    if (!pod->staying()) continue;
    slice.members.push_back(pod);
    slice.staying.push_back(pod);
    if (pod->host) held.insert(*pod->host);
  }
  for (const SeenPod* pod : living) {
    if (pod->staying()) continue;
    // Of a last life in another shape.
    const bool beyond = slice.hosts > 0 && pod->host.value_or(0) >= slice.hosts;
    const bool free = beyond      ? false
                      : pod->host ? held.insert(*pod->host).second
                                  : slice.members.size() < std::max(slice.hosts, 1u);
    (free ? slice.members : slice.leaving).push_back(pod);
  }
  for (auto* list : {&slice.members, &slice.staying, &slice.leaving}) sort_by_host(*list);
}

}  // namespace tpuwh::server::slices
